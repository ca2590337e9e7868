// Extractive summary of a finished triage from its report, sources and outcome. Recalled texts are named, not repeated, so
// that memory does not store them twice. Pure functions.

import { withoutUniqueParts } from "../../../lib/logs/log-time.ts";
import { withoutQuotedSentences } from "../../../lib/text/quoted-sentences.ts";
import { outcomeText } from "../../answer-view/outcome-name.ts";
import type { Config } from "../../config.ts";
import type { Compressed } from "../../memory/observation.ts";
import { UNANSWERED } from "../../memory/past-answers.ts";
import type { Imported } from "../../schemas/imported.ts";
import { importedFrom } from "../../schemas/imported-from.ts";
import type { Incident } from "../../schemas/incident.ts";
import { truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { plainAnswer } from "../answer/final-answer.ts";

/** The parts of a result that its summary uses. */
export type SummarisedResult = Pick<
  TriageResult,
  "answer" | "outcome" | "confidence" | "mode" | "sources" | "recalled"
> &
  /** Absent without a finished triage. */
  Partial<Pick<TriageResult, "triage_id" | "usage" | "warnings">>;

export const TITLE_LENGTH = 200;
export const NARRATIVE_LENGTH = 1_500;
export const FACT_LENGTH = 240;
export const MAX_OBSERVATION_FACTS = 10;
const MAX_SOURCES = 2;
const MAX_LOG_FACTS = 3;
/** Characters of an error line: one piece of a long line, so that no sentence is cut. */
const LOG_FACT_LENGTH = 600;

/** Whether an answer names a cause with enough confidence. A guess must not come back as knowledge. */
export function isTrustedCause(
  { outcome, confidence }: Pick<TriageResult, "outcome" | "confidence">,
  { CONFIDENCE_THRESHOLD }: Pick<Config, "CONFIDENCE_THRESHOLD">,
): boolean {
  return outcome === "cause" && confidence >= CONFIDENCE_THRESHOLD;
}

/** The part of an answer that no recalled text holds: a model's own words, else the names of the sources. */
export function ownAnswer(
  result: SummarisedResult,
  config: Pick<Config, "CONFIDENCE_THRESHOLD">,
  recalled: readonly string[] = recalledTexts(result),
): string {
  if (!isTrustedCause(result, config)) return UNANSWERED;
  const own = result.mode === "model" ? ownWords(result, recalled) : "";
  return own === "" ? explainedBy(result) : own;
}

function ownWords({ answer }: Pick<SummarisedResult, "answer">, recalled: readonly string[]): string {
  const keep = <T extends { readonly text: string }>(item: T): T => ({
    ...item,
    text: withoutQuotedSentences(item.text, recalled),
  });
  const likely_causes = answer.likely_causes.map(keep).filter(({ text }) => text !== "");
  return plainAnswer({ answer: { ...answer, summary: keep(answer.summary), likely_causes } }).trim();
}

/**
 * All recalled texts that an answer could repeat.
 * @param rewrittenId id of the observation that is rewritten: its text and past answers about it may be repeated
 */
export function recalledTexts(
  { recalled }: Pick<TriageResult, "recalled">,
  rewrittenId: string | null = null,
): string[] {
  const { runbooks, incidents, past_answers, procedure } = recalled;
  return [
    ...runbooks.map(({ text }) => text),
    ...incidents
      .filter(({ id }) => id !== rewrittenId)
      .flatMap(({ narrative, facts, resolution, fixes }) => [
        narrative,
        ...facts,
        resolution ?? "",
        ...fixes.map(({ text }) => text),
      ]),
    ...(rewrittenId === null ? [...past_answers.map(({ answer }) => answer), procedure?.answer ?? ""] : []),
  ].filter((text) => text !== "");
}

/** @param rewrittenId id of the observation that this summary replaces; null for a new one */
export function summariseTriage(
  incident: Incident,
  result: SummarisedResult,
  config: Pick<Config, "CONFIDENCE_THRESHOLD">,
  rewrittenId: string | null = null,
): Compressed {
  const recalled = recalledTexts(result, rewrittenId);
  return {
    title: truncate(oneLine(incident.title), TITLE_LENGTH),
    narrative: truncate(`${coveredBy(incident)} ${ownAnswer(result, config, recalled)}`, NARRATIVE_LENGTH),
    facts: [
      ...reportedFacts(incident),
      shortFact(`Outcome: ${outcomeText(result.outcome, result.confidence)}`),
      ...ruledOutFacts(result, recalled),
      // Only a trusted cause rests on the cited texts: an unconfirmed candidate must not come back as knowledge.
      ...(isTrustedCause(result, config) ? citedRunbooks(result) : []).map(({ kind, title, source }) =>
        shortFact(`${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${title} (${source})`),
      ),
    ].slice(0, MAX_OBSERVATION_FACTS),
    writtenBy: "extractive",
  };
}

function coveredBy({ type, target, domain }: Incident): string {
  const what = type.name === "unknown" ? "an unrecognised failure" : type.name.replaceAll("_", " ");
  return `Covered ${what}${target === null ? "" : ` on ${target}`} in the ${domain.name} domain.`;
}

/** The text of an imported incident: people described it, so its description is searched by its meaning, too. */
export function importedSummary(incident: Incident, imported: Imported): Pick<Compressed, "narrative" | "facts"> {
  const description = oneLine(imported.description ?? "");
  const origin = shortFact(`Origin: ${[importedFrom(imported.from), imported.id, imported.url ?? ""].join(" ")}`);
  return {
    narrative: truncate(`${coveredBy(incident)} ${description}`.trim(), NARRATIVE_LENGTH),
    facts: [...reportedFacts(incident), origin],
  };
}

/** Facts of the report itself; at most 8. */
export function reportedFacts(incident: Incident): string[] {
  return [
    `Type: ${incident.type.name} (${incident.type.rule})`,
    `Domain: ${incident.domain.name} (${incident.domain.rule})`,
    `Target: ${incident.target ?? "not named"}`,
    `Severity: ${incident.severity}`,
  ]
    .map(shortFact)
    .concat(errorFacts(incident), labelFact(incident.labels).map(shortFact));
}

/** The most important error lines, without the times and ids that differ in each repeat. */
export function errorFacts({ evidence }: Incident): string[] {
  const lines = evidence.lines.slice(0, MAX_LOG_FACTS).map(({ text }) => `Log: ${oneLine(withoutUniqueParts(text))}`);
  return [...new Set(lines)].map((line) => truncate(line, LOG_FACT_LENGTH));
}

/** The hypothesis that the investigation rejected first, without recalled text. */
function ruledOutFacts({ answer }: SummarisedResult, recalled: readonly string[]): string[] {
  return answer.hypotheses
    .filter(({ verdict }) => verdict === "rejected")
    .map(({ cause, reason }) => [cause, reason].map((text) => oneLine(withoutQuotedSentences(text, recalled))))
    .flatMap(([cause = "", reason = ""]) => (cause === "" ? [] : [reason === "" ? cause : `${cause} (${reason})`]))
    .slice(0, 1)
    .map((text) => shortFact(`Ruled out: ${text}`));
}

function shortFact(fact: string): string {
  return truncate(oneLine(fact), FACT_LENGTH);
}

function explainedBy(result: SummarisedResult): string {
  const runbooks = citedRunbooks(result).map(({ kind, title, source }) => `the ${kind} "${title}" (${source})`);
  // Without its title: a record that is deleted later must not survive in other records.
  const isPrecedent = result.sources.some(({ kind }) => kind === "incident");
  const places = [...runbooks, ...(isPrecedent ? ["a past incident"] : [])];
  return places.length === 0 ? "A cause was named." : `Explained by ${places.join(" and ")}.`;
}

/** Cited runbooks, notes and postmortems; a log explains no cause. */
function citedRunbooks({ sources }: Pick<TriageResult, "sources">) {
  const runbooks = sources.filter(({ kind }) => kind !== "incident" && kind !== "log");
  return [...new Map(runbooks.map((runbook) => [runbook.source, runbook])).values()].slice(0, MAX_SOURCES);
}

function labelFact(labels: Readonly<Record<string, string>>): string[] {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? [] : [`Labels: ${pairs.join(", ")}`];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
