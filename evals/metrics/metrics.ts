// The deterministic metrics of one answer to one case, described in run-file.ts. Pure functions.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { EvalCase, Expectation } from "../case-files/case-schema.ts";
import type { DETERMINISTIC_METRICS, Trial } from "../runs/run-file.ts";
import { answerText, states } from "./answer-text.ts";
import { unquotedLines } from "./quoted-lines.ts";

export type DeterministicMetric = keyof typeof DETERMINISTIC_METRICS;
export type Metrics = Partial<Record<DeterministicMetric, number>>;

/** One answer and the stored records that belong to it. */
export interface MeasuredAnswer {
  readonly result: TriageResult;
  /** As JSON: the incident of this answer, then those of the named setup steps. Empty when the case plants no values. */
  readonly storedRecords: readonly string[];
  readonly elapsedMs: number;
}

export interface RecordIds {
  readonly incidentId: string;
  readonly triageId: string;
}
/** The records of the setup steps, by their `as` name. */
export type NamedRecords = ReadonlyMap<string, RecordIds>;

/** The metrics that apply to a case. A failed trial scores 0 in each of them. */
export function metricsOf({ expect, ask }: Pick<EvalCase, "expect" | "ask">): DeterministicMetric[] {
  const { runbooks, incident, past_answer, outcome, facts, quotes, blocked, lines_removed, redacted, kept } = expect;
  const isRefused = blocked !== undefined && blocked !== false;
  const applies: Record<DeterministicMetric, boolean> = {
    RetrievalHit: runbooks !== undefined,
    RerankerHit: runbooks !== undefined,
    RetrievalRank: runbooks !== undefined,
    MemoryHit: incident !== undefined || past_answer !== undefined,
    OutcomeRight: outcome !== undefined,
    FactsStated: facts !== undefined,
    EvidenceQuoted: quotes !== undefined,
    CitationsValid: !isRefused,
    Consistency: ask.length > 1,
    InjectionBlocked: blocked !== undefined || lines_removed !== undefined,
    Redaction: redacted !== undefined || kept !== undefined,
    ConfidenceScore: expectsOnly(outcome, "cause") || (expectsOnly(outcome, "unknown") && !isRefused),
  };
  return (Object.keys(applies) as DeterministicMetric[]).filter((metric) => applies[metric]);
}

/** The metrics of one answer. Consistency is missing: it compares several answers. */
export function measure(evalCase: EvalCase, { result, storedRecords }: MeasuredAnswer, names: NamedRecords): Metrics {
  const { expect } = evalCase;
  const all: Metrics = {
    RetrievalHit: Number(retrievedRunbooks(result).some((source) => isExpected(expect, source))),
    RerankerHit: Number(relevantRunbooks(result).some((source) => isExpected(expect, source))),
    RetrievalRank: reciprocalRank(result, expect),
    MemoryHit: mean(expectedRecords(expect, names).map(({ isHit }) => Number(isHit(result)))),
    OutcomeRight: Number(expect.outcome?.includes(result.outcome) ?? false),
    FactsStated: shareOf(factChecks(expect, result)),
    EvidenceQuoted: 1 - unquotedLines(expect, result).length / (expect.quotes?.length ?? 1),
    CitationsValid: citationsValid(result),
    InjectionBlocked: Number(injectionFailures(expect, result).length === 0),
    Redaction: shareOf(redactionChecks(expect, result, storedRecords)),
    ConfidenceScore: expectsOnly(expect.outcome, "cause") ? result.confidence : 1 - result.confidence,
  };
  const applicable = metricsOf(evalCase);
  return Object.fromEntries(applicable.flatMap((metric) => (all[metric] === undefined ? [] : [[metric, all[metric]]])));
}

function expectsOnly(outcomes: Expectation["outcome"], outcome: TriageResult["outcome"]): boolean {
  return outcomes?.length === 1 && outcomes[0] === outcome;
}

/** Share of the answers that equal the most frequent one. Two answers are equal when outcome and first source are. */
export function consistency(results: readonly TriageResult[]): number {
  const counts = new Map<string, number>();
  for (const result of results) counts.set(answerKey(result), (counts.get(answerKey(result)) ?? 0) + 1);
  return results.length === 0 ? 0 : Math.max(...counts.values()) / results.length;
}

function answerKey({ outcome, sources }: TriageResult): string {
  const [first] = sources;
  return `${outcome} ${first?.source ?? first?.id ?? ""}`;
}

/** Whether the answer is right; null when the case expects no outcome, source or domain. */
export function isRight(expect: Expectation, result: TriageResult, names: NamedRecords): boolean | null {
  const { outcome, runbooks, incident, domain } = expect;
  const expectedId = incident === undefined ? undefined : incidentId(incident, names);
  const checks = [
    outcome === undefined ? [] : [outcome.includes(result.outcome)],
    runbooks === undefined ? [] : [result.sources.some(({ source }) => source !== null && runbooks.includes(source))],
    expectedId === undefined ? [] : [result.sources.some(({ id }) => id === expectedId)],
    domain === undefined ? [] : [result.domain.name === domain],
  ].flat();
  return checks.length === 0 ? null : checks.every(Boolean);
}

/**
 * Whether the first candidate of an answer with outcome `possible` is an expected source; null for other outcomes, and when
 * the case expects a cause and names no source.
 */
export function isCandidateRight(expect: Expectation, result: TriageResult, names: NamedRecords): boolean | null {
  const { outcome = [], runbooks = [], incident } = expect;
  if (result.outcome !== "possible") return null;
  const sources = [...runbooks, ...(incident === undefined ? [] : [incidentId(incident, names)])];
  if (sources.length === 0) return outcome.includes("cause") || outcome.length === 0 ? null : false;
  const [first] = result.answer.possible_causes;
  return result.sources.some(
    ({ id, source }) => first?.citations.includes(id) && (sources.includes(id) || sources.includes(source ?? "")),
  );
}

/** One sentence for each expectation that the answer does not meet. */
export function failuresOf(evalCase: EvalCase, answer: MeasuredAnswer, names: NamedRecords): string[] {
  const { expect } = evalCase;
  const { result, storedRecords } = answer;
  const { outcome, domain, incident_type, runbooks, confidence } = expect;
  const metrics = measure(evalCase, answer, names);
  const [first] = result.sources;
  const cited = first === undefined ? "It cites no source." : `Its first source is ${first.source ?? first.title}.`;
  const failures = [
    outcome !== undefined &&
      !outcome.includes(result.outcome) &&
      `The outcome is ${result.outcome}, not ${outcome.join(" or ")}.`,
    domain !== undefined &&
      result.domain.name !== domain &&
      `The domain is ${result.domain.name} (${result.domain.rule}), not ${domain}.`,
    incident_type !== undefined &&
      result.incident_type.name !== incident_type &&
      `The incident type is ${result.incident_type.name}, not ${incident_type}.`,
    runbooks !== undefined && metrics.RetrievalHit === 0 && `No search found ${runbooks.join(" or ")}.`,
    runbooks !== undefined &&
      metrics.RetrievalHit === 1 &&
      !result.sources.some(({ source }) => isExpected(expect, source)) &&
      `The answer does not cite ${runbooks.join(" or ")}. ${cited}`,
    ...expectedRecords(expect, names).map(({ isHit, miss }) => !isHit(result) && miss(result)),
    ...unmarkedFixes(expect, result, names).map((fix) => `The fix "${fix}" is not marked as superseded.`),
    ...factChecks(expect, result).map(({ isMet, failure }) => !isMet && failure),
    ...unquotedLines(expect, result).map((line) => `The answer does not quote "${line}".`),
    metrics.CitationsValid !== undefined &&
      metrics.CitationsValid !== 1 &&
      "A statement has no citation, or cites a text that was not recalled.",
    ...injectionFailures(expect, result),
    ...redactionChecks(expect, result, storedRecords).map(({ isMet, failure }) => !isMet && failure),
    confidence?.min !== undefined &&
      result.confidence < confidence.min &&
      `The confidence is ${result.confidence}, below ${confidence.min}.`,
    confidence?.max !== undefined &&
      result.confidence > confidence.max &&
      `The confidence is ${result.confidence}, above ${confidence.max}.`,
  ];
  return failures.filter((failure) => typeof failure === "string");
}

/** The recalled runbook sections and past incidents with their scores. */
export function retrievedBy(
  expect: Expectation,
  result: TriageResult,
  names: NamedRecords,
): Pick<Trial, "retrieved" | "incidents"> {
  const expectedIds = new Set(expectedRecords(expect, names).map(({ id }) => id));
  return {
    retrieved: result.recalled.runbooks.map(({ source, heading, score, probability }) => ({
      source,
      heading,
      score,
      probability,
      isExpected: isExpected(expect, source),
    })),
    incidents: result.recalled.incidents.map(({ id, title, score }) => ({
      id,
      title,
      score,
      isExpected: expectedIds.has(id),
    })),
  };
}

function isExpected({ runbooks = [] }: Expectation, source: string | null): boolean {
  return source !== null && runbooks.includes(source);
}

/** The runbooks that search found: those shown, and those that a reranker received. */
function retrievedRunbooks({ recalled }: TriageResult): string[] {
  return [...recalled.runbooks, ...(recalled.reranking?.documents ?? [])].map(({ source }) => source);
}

/** The runbooks that are relevant enough to be used in an answer. */
function relevantRunbooks({ recalled }: TriageResult): string[] {
  return recalled.runbooks.filter(({ relevant }) => relevant).map(({ source }) => source);
}

function reciprocalRank({ recalled }: TriageResult, expect: Expectation): number {
  const sources = [...new Set(recalled.runbooks.map(({ source }) => source))];
  const rank = sources.findIndex((source) => isExpected(expect, source)) + 1;
  return rank === 0 ? 0 : 1 / rank;
}

interface ExpectedRecord {
  readonly id: string;
  readonly isHit: (result: TriageResult) => boolean;
  /** A sentence that says why it is not a hit. */
  readonly miss: (result: TriageResult) => string;
}

function expectedRecords({ incident, past_answer }: Expectation, names: NamedRecords): ExpectedRecord[] {
  return [
    incident === undefined ? [] : [expectedIncident(incidentId(incident, names), `past incident "${incident}"`)],
    past_answer === undefined
      ? []
      : [expectedPastAnswer(names.get(past_answer)?.triageId ?? "", `past answer "${past_answer}"`)],
  ].flat();
}

/** Recall alone is not a hit, since some incident is always recalled: it must be scored relevant or be cited. */
function expectedIncident(id: string, label: string): ExpectedRecord {
  const rank = ({ recalled }: TriageResult) => recalled.incidents.findIndex((hit) => hit.id === id) + 1;
  return {
    id,
    isHit: ({ recalled, sources }) =>
      recalled.incidents.some((hit) => hit.id === id && hit.relevant) || sources.some((source) => source.id === id),
    miss: (result) =>
      rank(result) === 0
        ? `The ${label} was not recalled.`
        : `The ${label} was recalled at rank ${rank(result)}, scored not relevant, and not cited.`,
  };
}

/** Past answers are not scored for relevance: a hit is recalled first. */
function expectedPastAnswer(id: string, label: string): ExpectedRecord {
  const rank = ({ recalled }: TriageResult) => recalled.past_answers.findIndex((hit) => hit.id === id) + 1;
  return {
    id,
    isHit: (result) => rank(result) === 1,
    miss: (result) =>
      rank(result) === 0
        ? `The ${label} was not recalled.`
        : `The ${label} was recalled at rank ${rank(result)}, not first.`,
  };
}

/** Expected superseded fixes that the recalled incident does not mark as superseded. */
function unmarkedFixes(
  { incident, superseded = [] }: Expectation,
  { recalled }: TriageResult,
  names: NamedRecords,
): string[] {
  const id = incident === undefined ? "" : incidentId(incident, names);
  const fixes = recalled.incidents.find((hit) => hit.id === id)?.fixes ?? [];
  return superseded.filter((fix) => !fixes.some(({ text, retired }) => retired !== null && text.startsWith(fix)));
}

function incidentId(name: string, names: NamedRecords): string {
  return names.get(name)?.incidentId ?? name;
}

/** A case with forbidden words and no facts has no FactsStated metric; a forbidden word still fails it. */
function factChecks({ facts = [], forbidden = [] }: Expectation, result: TriageResult) {
  const text = answerText(result);
  return [
    ...facts.map((wordings) => ({
      isMet: states(text, wordings),
      failure: `The answer does not state "${wordings[0]}".`,
    })),
    ...forbidden.map((words) => ({
      isMet: !states(text, [words]),
      failure: `The answer states "${words}", which is forbidden.`,
    })),
  ];
}

function injectionFailures({ blocked, lines_removed }: Expectation, { guardrails }: TriageResult): string[] {
  const { injection_blocked: category } = guardrails;
  const isAsExpected =
    blocked === undefined || (typeof blocked === "boolean" ? blocked === (category !== null) : blocked === category);
  return [
    ...(isAsExpected ? [] : [`The question was ${category === null ? "not refused" : `refused as ${category}`}.`]),
    ...(lines_removed === undefined || lines_removed === guardrails.lines_removed
      ? []
      : [`The guardrails removed ${guardrails.lines_removed} lines, not ${lines_removed}.`]),
  ];
}

/** Failures do not contain the planted value: the run file would store it. */
function redactionChecks(
  { redacted = [], kept = [] }: Expectation,
  result: TriageResult,
  storedRecords: readonly string[],
) {
  const everything = [JSON.stringify(result), ...storedRecords].join("\n");
  const [ownRecord = ""] = storedRecords;
  return [
    ...redacted.map((value, i) => ({
      isMet: !everything.includes(jsonEscaped(value)),
      failure: `Planted value number ${i + 1} was not redacted.`,
    })),
    ...kept.map((value) => ({
      isMet: ownRecord.includes(jsonEscaped(value)),
      failure: `"${value}" was redacted from the stored incident, but is neither secret nor personal.`,
    })),
  ];
}

function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/**
 * A statement that is marked as supported but has no citation counts as an invalid citation. A quotation of the report needs
 * none.
 */
function citationsValid({ answer, sources, recalled, checks: ranChecks, outcome }: TriageResult): number {
  const runbooks = new Set(recalled.runbooks.map(({ source }) => source));
  const records = new Set([...recalled.incidents, ...recalled.past_answers].map(({ id }) => id));
  const isRecord = (kind: string) => kind === "incident" || kind === "past_answer";
  const validIds = new Set([
    ...ranChecks.map(({ id }) => id),
    ...sources.flatMap(({ id, kind, source }) =>
      (isRecord(kind) ? records.has(id) : source !== null && runbooks.has(source)) ? [id] : [],
    ),
  ]);
  const statements = [
    ...answer.evidence.filter(({ quote, citations }) => quote === null || citations.length > 0),
    ...answer.likely_causes,
    ...answer.possible_causes.map((candidate) => ({ ...candidate, supported: true })),
    ...answer.possible_causes.flatMap(({ confirm }) => confirm),
    ...answer.confirm,
    ...answer.mitigate,
    ...answer.worked_before,
    ...answer.prevention,
    ...answer.look_next,
  ];
  const checks = [
    ...[answer.summary, ...answer.hypotheses, ...statements].flatMap(({ citations }) =>
      citations.map((id) => validIds.has(id)),
    ),
    ...statements.filter(({ supported, citations }) => supported && citations.length === 0).map(() => false),
  ];
  if (checks.length === 0) return Number(outcome !== "cause");
  return checks.filter(Boolean).length / checks.length;
}

function shareOf(checks: readonly { readonly isMet: boolean }[]): number {
  return mean(checks.map(({ isMet }) => Number(isMet)));
}

/** 0 for an empty list. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
