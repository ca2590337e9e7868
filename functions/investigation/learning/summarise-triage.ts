// Owns how a finished triage is told in short without a model: from the report, the sources and the outcome. What was
// only recalled is named and not repeated, so that nothing is learnt twice. Pure.

import type { Config } from "../../config.ts";
import type { Compressed } from "../../memory/observation.ts";
import { UNANSWERED } from "../../memory/past-answers.ts";
import { errorLines } from "../../retrieval/text/error-lines.ts";
import { withoutQuotedSentences } from "../../retrieval/text/quoted-sentences.ts";
import type { Incident } from "../../schemas/incident.ts";
import { truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { plainAnswer } from "../answer/plain-answer.ts";

/** What of a result decides what is remembered. */
export type SummarisedResult = Pick<
  TriageResult,
  "answer" | "outcome" | "confidence" | "mode" | "sources" | "recalled"
>;

export const TITLE_LENGTH = 200;
export const NARRATIVE_LENGTH = 1_500;
export const FACT_LENGTH = 240;
export const MAX_FACTS = 10;
const MAX_SOURCES = 2;
const MAX_LOG_FACTS = 2;

/** Whether an answer names a cause that was believed. A guess nobody believed would come back as knowledge. */
export function isTrustedCause(
  { outcome, confidence }: Pick<TriageResult, "outcome" | "confidence">,
  { CONFIDENCE_THRESHOLD }: Pick<Config, "CONFIDENCE_THRESHOLD">,
): boolean {
  return outcome === "cause" && confidence >= CONFIDENCE_THRESHOLD;
}

/** What an answer adds to what is known: its own words where a model wrote them, else where it was found. */
export function ownAnswer(
  result: SummarisedResult,
  config: Pick<Config, "CONFIDENCE_THRESHOLD">,
  known: readonly string[] = recalledTexts(result),
): string {
  if (!isTrustedCause(result, config)) return UNANSWERED;
  const own = result.mode === "model" ? ownWords(result, known) : "";
  return own === "" ? foundIn(result) : own;
}

function ownWords({ answer }: Pick<SummarisedResult, "answer">, known: readonly string[]): string {
  const keep = <T extends { readonly text: string }>(item: T): T => ({
    ...item,
    text: withoutQuotedSentences(item.text, known),
  });
  const likely_causes = answer.likely_causes.map(keep).filter(({ text }) => text !== "");
  return plainAnswer({ answer: { ...answer, summary: keep(answer.summary), likely_causes } }).trim();
}

/**
 * Everything that was recalled and could be repeated.
 * @param retold id of the record that is told anew: what it says, and what was answered of it, may be said again
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
      .flatMap(({ narrative, facts, resolution }) => [narrative, ...facts, resolution ?? ""]),
    ...(rewrittenId === null ? [...past_answers.map(({ answer }) => answer), procedure?.answer ?? ""] : []),
  ].filter((text) => text !== "");
}

/** @param retold id of the record that this takes the place of; null for a new one */
export function summariseTriage(
  incident: Incident,
  result: SummarisedResult,
  config: Pick<Config, "CONFIDENCE_THRESHOLD">,
  rewrittenId: string | null = null,
): Compressed {
  const what = incident.type.name === "unknown" ? "an unrecognised failure" : incident.type.name.replaceAll("_", " ");
  const where = incident.target === null ? "" : ` on ${incident.target}`;
  const figure = `confidence ${result.confidence.toFixed(2)}`;
  return {
    title: truncate(oneLine(incident.title), TITLE_LENGTH),
    narrative: truncate(
      `Covered ${what}${where} in the ${incident.domain.name} domain. ${ownAnswer(result, config, recalledTexts(result, rewrittenId))}`,
      NARRATIVE_LENGTH,
    ),
    facts: [
      ...reportedFacts(incident),
      shortFact(`Outcome: ${result.outcome}, ${figure}`),
      ...citedRunbooks(result).map(({ kind, title, source }) =>
        shortFact(`${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${title} (${source})`),
      ),
    ],
    writtenBy: "extractive",
  };
}

/** What is known whatever came of it; at most 7. */
export function reportedFacts(incident: Incident): string[] {
  return [
    `Type: ${incident.type.name} (${incident.type.rule})`,
    `Domain: ${incident.domain.name} (${incident.domain.rule})`,
    `Target: ${incident.target ?? "not named"}`,
    `Severity: ${incident.severity}`,
    ...errorLines(incident.logs ?? "")
      .slice(-MAX_LOG_FACTS)
      .map((line) => `Log: ${line}`),
    ...labelFact(incident.labels),
  ].map(shortFact);
}

function shortFact(fact: string): string {
  return truncate(oneLine(fact), FACT_LENGTH);
}

function foundIn(result: SummarisedResult): string {
  const runbooks = citedRunbooks(result).map(({ kind, title, source }) => `the ${kind} "${title}" (${source})`);
  // Not by its title: what is forgotten one day must not live on in the records of others.
  const isPrecedent = result.sources.some(({ kind }) => kind === "incident");
  const places = [...runbooks, ...(isPrecedent ? ["a past incident"] : [])];
  return places.length === 0 ? "A cause was named." : `Explained by ${places.join(" and ")}.`;
}

/** And what explains as a runbook does; a log explains nothing. */
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
