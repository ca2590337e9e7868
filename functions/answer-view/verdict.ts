// The outcome of a triage as people read it: a name, a figure, and what the figure means. Pure functions.

import { weighLine } from "../../lib/logs/weigh-line.ts";
import { type Dependency, describeDependencies } from "../schemas/dependency.ts";
import { truncate } from "../schemas/incident.ts";
import { isSessionRecap } from "../schemas/text-kind.ts";
import type { ChosenRunbook, RunbookHit, TriageResult, Warning } from "../schemas/triage-result.ts";
import { isMatchedByName, SHOWING_WEIGHT } from "./name-match.ts";
import { outcomeName } from "./outcome-name.ts";
import { percentOf } from "./percent.ts";
import { minuteOf } from "./time-text.ts";

export interface Verdict {
  /** Such as "Known failure". */
  readonly name: string;
  readonly tone: "good" | "warn" | "info" | "neutral";
  /** The probability of the outcome's text, 0 to 1, or a critic's score; null where it would read like an answer. */
  readonly figure: number | null;
  /** What the figure is the probability of; follows it, such as "that this runbook fits". Null without a figure. */
  readonly figureOf: string | null;
  /** What to make of the outcome: a phrase without a stop. */
  readonly meaning: string;
  /** The error line that the runbook of the alert's name does not mention; null if it does, or if more than the name decided. */
  readonly unmentioned: string | null;
  /** What the figure means, one fact a sentence. */
  readonly explanation: readonly string[];
  /** How the answer was made, as sentences. */
  readonly origin: string;
}

/** The prompt of the critique defines 0.5 as "as good as a guess". */
const MIN_LIKELY_CONFIDENCE = 0.5;
const SEARCHED: readonly Dependency[] = ["database", "vector_store", "embedder"];

export function verdictOf(result: TriageResult): Verdict {
  const { mode, outcome, confidence, guardrails, sources } = result;
  const named = namesake(result);
  const unmentioned = named?.line ?? null;
  const meaning = meaningOf(result, named);
  const shown = { figure: null, figureOf: null, meaning, unmentioned, origin: originOf(result) };
  if (guardrails.injection_blocked !== null) return { ...shown, name: "Not answered", tone: "warn", explanation: [] };
  if (isSessionRecap({ sources })) return { ...shown, name: "Recap of this session", tone: "neutral", explanation: [] };
  const chosen = outcome === "cause" ? chosenSentence(chosenRunbook(result)) : [];
  const explanation = mode === "model" ? criticExplanation(result) : probabilityExplanation(result, { chosen, named });
  const read = { ...shown, name: outcomeName(outcome), explanation };
  // No estimate led to a runbook that a person chose for this very failure.
  const isCertain = mode === "extractive" && outcome === "cause" && isRepeat(choiceOf(chosenRunbook(result)));
  const figure = isCertain ? {} : { figure: confidence, figureOf: figureOf(result, named) };
  switch (outcome) {
    case "cause":
      return {
        ...read,
        ...figure,
        tone: confidence < MIN_LIKELY_CONFIDENCE || unmentioned !== null ? "warn" : "good",
      };
    case "possible":
      return { ...read, ...figure, tone: "warn" };
    case "benign":
      return { ...read, tone: "info" };
    case "unknown":
      return { ...read, ...(missingParts(result).length > 0 && { name: "Incomplete answer" }), tone: "warn" };
  }
}

/** Parts of the search, or the memory, that did not answer: nothing found is then no finding. */
function missingParts({ warnings }: TriageResult): Dependency[] {
  return warnings.flatMap(({ code, dependency }) =>
    SEARCHED.includes(dependency) && isOutage(code) ? [dependency] : [],
  );
}

/** Whether the answer lacks something because a dependency did not do its part. */
export function isOutage(code: Warning["code"]): boolean {
  return code.startsWith("dependency_") || code === "model_mismatch";
}

/** The runbook of the answer that a person chose for this failure, by the correction of a past answer. */
function chosenRunbook({
  sources,
  recalled,
}: {
  readonly sources: readonly Pick<TriageResult["sources"][number], "source">[];
  readonly recalled: Pick<TriageResult["recalled"], "runbooks">;
}): RunbookHit | undefined {
  return recalled.runbooks.find(
    ({ source, features }) => features.attached?.chosen !== undefined && sources.some((each) => each.source === source),
  );
}

/**
 * `dana chose “Host disk full” for this failure, on 2026-03-01 03:00 UTC.`, or `for a failure that is probably this one (91 %)`; nothing if
 * nobody did.
 */
export function chosenSentence(hit: RunbookHit | undefined): string[] {
  const chosen = choiceOf(hit);
  if (hit === undefined || chosen === undefined) return [];
  return [`${chosen.by ?? "Somebody"} chose “${hit.title}” for ${failureOf(chosen)}, on ${minuteOf(chosen.at)} UTC.`];
}

function choiceOf(hit: RunbookHit | undefined): ChosenRunbook | undefined {
  return hit?.features.attached?.chosen;
}

function isRepeat(chosen: ChosenRunbook | undefined): boolean {
  return chosen !== undefined && chosen.probability === undefined;
}

function failureOf({ probability }: ChosenRunbook): string {
  return probability === undefined ? "this failure" : `a failure that is probably this one (${percentOf(probability)})`;
}

/** Such as "Known failure, 91 %". */
export function verdictLine({ name, figure }: Verdict): string {
  return figure === null ? name : `${name}, ${percentOf(figure)}`;
}

/** ` (the runbook has …)`, for what shows no meaning: empty without an unmentioned line. */
export function caveatOf({ unmentioned, meaning }: Verdict): string {
  return unmentioned === null ? "" : ` (${meaning})`;
}

/** The title of the past incident whose probability the figure is; null if the figure is that of a text. */
export function precedentOf({ mode, outcome, confidence, recalled }: TriageResult): string | null {
  const isLead = ({ probability }: { readonly probability: number }) => probability === confidence;
  if (mode === "model" || (outcome !== "cause" && outcome !== "possible") || recalled.runbooks.some(isLead))
    return null;
  return recalled.incidents.find(isLead)?.title ?? null;
}

const MAX_LINE_LENGTH = 200;

/** The runbook that has the alert's name, and the first error line, which it does not mention. */
interface Namesake {
  readonly title: string;
  readonly line: string;
}

/** Null where anything else than the name decided. */
function namesake(result: TriageResult): Namesake | null {
  const { mode, outcome, answer } = result;
  if (mode === "model" || answer.causes_ordered_by === "report") return null;
  if (outcome !== "cause" && outcome !== "possible") return null;
  const lead = leadOf(result);
  if (lead === undefined || lead.features.attached !== undefined) return null;
  if (!isMatchedByName(lead.relevance.contributions)) return null;
  const line = answer.evidence.find(({ quote, place }) => quote !== null && place !== null)?.quote ?? null;
  return line !== null && weighLine(line).weight >= SHOWING_WEIGHT ? { title: lead.title, line } : null;
}

/** The cited text whose probability is the confidence. */
function leadOf({ confidence, sources, recalled }: TriageResult): RunbookHit | undefined {
  return recalled.runbooks.find(
    ({ source, probability }) => probability === confidence && sources.some((each) => each.source === source),
  );
}

function figureOf(result: TriageResult, named: Namesake | null): string {
  const { mode, outcome, answer, checks } = result;
  if (mode === "model") return "as a critic scored it";
  if (precedentOf(result) !== null) return "that a past incident was the same failure";
  if (named !== null) return "for the runbook that has the alert's name";
  if (outcome === "possible") return "for the best candidate";
  const isOpen = answer.likely_causes.length > 1 && !checks.some(({ verdict }) => verdict === "confirmed");
  const kind = leadOf(result)?.kind === "runbook" ? "runbook" : "text";
  return `that this ${kind} fits${isOpen ? "; which of its causes is open" : ""}`;
}

function meaningOf(result: TriageResult, named: Namesake | null): string {
  const { outcome, confidence, mode, sources, guardrails, answer } = result;
  const missing = missingParts(result);
  if (guardrails.injection_blocked !== null) return "this reads like an instruction to a model";
  if (isSessionRecap({ sources })) return "quotes past answers, claims nothing new";
  const chosen = outcome === "cause" ? choiceOf(chosenRunbook(result)) : undefined;
  if (chosen !== undefined)
    return `${chosen.by ?? "somebody"} chose this runbook for ${isRepeat(chosen) ? "the failure" : failureOf(chosen)}`;
  switch (outcome) {
    case "cause":
      if (confidence < MIN_LIKELY_CONFIDENCE) return "not sure; confirm before you act";
      if (named !== null) return "the runbook has the alert's name, but does not mention the error line";
      return mode === "extractive"
        ? `${certaintyOf(confidence)} that the quoted text is about this failure`
        : `${certaintyOf(confidence)} of this answer, as a critic scored it`;
    case "possible":
      return named === null
        ? "candidates to check; no cause is claimed"
        : "the runbook has the alert's name, but does not mention the error line; no cause is claimed";
    case "unknown":
      if (missing.length > 0) return `made without ${describeDependencies(missing)}`;
      if (answer.ruled_out.length > 0) return "checks rule out what matches the report";
      return hasRecall(result) ? "nothing on record is likely to be about this" : "nothing similar is on record";
    case "benign":
      return "no action needed";
  }
}

function certaintyOf(confidence: number): string {
  if (confidence >= 0.85) return "very sure";
  return confidence >= 0.65 ? "fairly sure" : "rather sure";
}

function hasRecall({ recalled }: TriageResult): boolean {
  return recalled.runbooks.length + recalled.incidents.length > 0;
}

/** In extractive mode, the figure is the probability of a text. */
function probabilityExplanation(
  result: TriageResult,
  { chosen, named }: { readonly chosen: readonly string[]; readonly named: Namesake | null },
): string[] {
  const { outcome, confidence } = result;
  const share = Math.round(confidence * 100);
  const estimate = `An estimate: of 100 such answers, about ${share} rest on a text about the right failure.`;
  switch (outcome) {
    case "cause":
      return [
        ...(chosen.length > 0 ? chosen : (nameSentences(named) ?? [estimate])),
        "It does not say which of the listed causes is the true one: checks do.",
      ];
    case "possible":
      return (
        nameSentences(named) ?? [
          `An estimate: of 100 such candidates, about ${share} are about the right failure.`,
          "That is too few to name a cause.",
        ]
      );
    case "benign":
      return ["The report itself shows it. No text on record was needed."];
    case "unknown":
      if (missingParts(result).length > 0) return ["Nothing was found where it could be searched."];
      return hasRecall(result)
        ? [
            `The nearest text on record: of 100 such texts, about ${share} are about the right failure.`,
            "Too few to show it as a candidate.",
          ]
        : ["No runbook and no past incident was found."];
  }
}

/** Where the name decided; null elsewhere. */
function nameSentences(named: Namesake | null): string[] | null {
  if (named === null) return null;
  return [
    `The alert's name is the name of the runbook “${named.title}”.`,
    `The runbook does not mention the error line \`${truncate(named.line, MAX_LINE_LENGTH).replaceAll("`", "'")}\`.`,
    "The figure rests on the name, and says nothing about this line.",
  ];
}

/** With a language model, the figure is the score of a critic. */
function criticExplanation({ confidence, critique }: TriageResult): string[] {
  const isNoProbability = "It is a score, not a probability.";
  if (critique === null) return ["The language model rated its own answer.", isNoProbability];
  const { initial_confidence, reflected, changes } = critique;
  const first = initial_confidence.toFixed(2);
  if (reflected && changes !== null)
    return [
      `A critic scored the first answer ${first}, and the revised one ${confidence.toFixed(2)}.`,
      isNoProbability,
    ];
  if (confidence < initial_confidence)
    return [
      `A critic scored the answer ${first}. What its sources support limits it to ${confidence.toFixed(2)}.`,
      isNoProbability,
    ];
  return [
    `A critic, a second request to the language model, scored the answer ${confidence.toFixed(2)}.`,
    isNoProbability,
  ];
}

function originOf({ mode, model, usage }: TriageResult): string {
  if (mode === "model") return `Written by ${model?.answer ?? "a language model"} from the cited texts.`;
  const reason = usage.calls > 0 ? " The language model did not help." : "";
  return `Quotes runbooks and past incidents word for word.${reason}`;
}

/** Says that the search left its domain, which held nothing relevant; empty if it did not. */
export function furtherSearchNote({ name, looked_further }: TriageResult["domain"]): string[] {
  return looked_further ? [`nothing relevant in ${name}; other domains were searched`] : [];
}
