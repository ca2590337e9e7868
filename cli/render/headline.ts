// The beginning of an answer: title, facts, outcome and confidence. Pure functions.

import { MIN_LIKELY_CONFIDENCE, outcomeMeaning } from "../../functions/answer-view/confidence-text.ts";
import { furtherSearchNote } from "../../functions/answer-view/search-note.ts";
import { GENERAL_DOMAIN, UNKNOWN_INCIDENT_TYPE } from "../../functions/schemas/domain.ts";
import { isSessionRecap } from "../../functions/schemas/source-kind.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { shortened, type Writer } from "./terminal-text.ts";

/** Lines of a title in the short form: a pasted log line may be long. */
const TITLE_LINES = 2;

/** With the rules that decided, and the origin of the confidence. */
export function fullHeadline(result: TriageResult, { paint, block }: Writer): string[] {
  const facts = [
    ...placeFacts(result),
    `domain ${result.domain.name} (${result.domain.rule})`,
    ...furtherNote(result),
    `type ${result.incident_type.name} (${result.incident_type.rule})`,
  ];
  return [
    ...block(paint("bold", result.title), 0),
    ...block(paint("dim", facts.join(" · ")), 0),
    "",
    ...block(`${verdictOf(result, paint)} ${paint("dim", `(${confidenceSourceOf(result)})`)}`, 0),
  ];
}

/** With what the outcome means. */
export function shortHeadline(result: TriageResult, { paint, block, width }: Writer): string[] {
  const { domain, incident_type, title } = result;
  const facts = [
    ...placeFacts(result),
    domain.name === GENERAL_DOMAIN && domain.decided_by === "none" ? "domain undecided" : `domain ${domain.name}`,
    ...furtherNote(result),
    ...(incident_type.name === UNKNOWN_INCIDENT_TYPE ? [] : [`type ${incident_type.name}`]),
  ];
  return [
    ...block(paint("bold", shortened(title, TITLE_LINES * width)), 0),
    ...block(paint("dim", facts.join(" · ")), 0),
    "",
    ...block(`${verdictOf(result, paint)}: ${outcomeMeaning(result)}`, 0),
  ];
}

function placeFacts({ severity, target }: TriageResult): string[] {
  return [`severity ${severity}`, ...(target === null ? [] : [`target ${target}`])];
}

function furtherNote({ domain }: TriageResult): string[] {
  const note = furtherSearchNote(domain);
  return note === null ? [] : [note];
}

function verdictOf({ outcome, confidence, mode, sources, guardrails }: TriageResult, paint: Writer["paint"]): string {
  if (isSessionRecap({ sources })) return paint("bold", "RECAP OF THIS SESSION");
  if (guardrails.injection_blocked !== null) return paint(["bold", "yellow"], "NOT ANSWERED");
  const score = confidence.toFixed(2);
  if (outcome === "cause") {
    const name =
      mode === "extractive" ? "KNOWN FAILURE" : confidence < MIN_LIKELY_CONFIDENCE ? "UNCERTAIN CAUSE" : "LIKELY CAUSE";
    return paint(["bold", "green"], `${name}, confidence ${score}`);
  }
  if (outcome === "possible") return paint(["bold", "yellow"], `POSSIBLE, NOT CONFIRMED, probability ${score}`);
  if (outcome === "benign") return paint(["bold", "cyan"], `NO INCIDENT, confidence ${score}`);
  return paint(["bold", "yellow"], `UNKNOWN, ${mode === "model" ? "confidence" : "nearest match"} ${score}`);
}

/** The origin of the confidence: a critique in mode `model`, the probability of a recalled text in mode `extractive`. */
function confidenceSourceOf(result: TriageResult): string {
  const { mode, outcome, confidence, critique, usage, recalled, sources, guardrails } = result;
  if (guardrails.injection_blocked !== null) return outcomeMeaning(result);
  if (mode === "model" && critique) {
    const { initial_confidence, reflected } = critique;
    if (reflected) return `a critic's score, after reflection on ${initial_confidence.toFixed(2)}`;
    const isLimited = confidence < initial_confidence;
    return isLimited
      ? `a critic's score of ${initial_confidence.toFixed(2)}, limited by its sources`
      : "a critic's score";
  }
  if (isSessionRecap({ sources })) return "quotes its past answers";
  if (outcome === "benign") return "by the report itself";
  if (recalled.runbooks.length + recalled.incidents.length === 0) return "nothing was recalled";
  return `probability of the best text; ${usage.calls > 0 ? "the language model did not help" : "no language model"}`;
}
