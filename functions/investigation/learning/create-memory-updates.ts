// Memory updates of a finished triage, one for each layer; finish_run stores them in one transaction. Pure functions.

import type { Config } from "../../config.ts";
import type { MemoryUpdates, ObservationUpdate, ProcedureUpdate } from "../../memory/memory-updates.ts";
import type { Observation } from "../../memory/observation.ts";
import { observedReport } from "../../memory/observed-report.ts";
import { ANSWER_LENGTH, FIXED_BY, type PastAnswer, QUESTION_LENGTH } from "../../memory/past-answers.ts";
import { describeFix } from "../../memory/session-summary.ts";
import { type Incident, searchText, truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import type { Recall } from "../recall/recall-result.ts";
import { isTrustedCause, ownAnswer, type SummarisedResult, summariseTriage } from "./summarise-triage.ts";

type Thresholds = Pick<Config, "CONFIDENCE_THRESHOLD" | "PROCEDURAL_THRESHOLD">;

export interface LearningInput {
  /** After classification. */
  readonly incident: Incident;
  readonly recalled: Recall;
  readonly result: TriageResult;
  readonly now: Date;
  /** Id of the procedure, if one is created. */
  readonly procedureId: string;
}

export function memoryUpdatesOf(input: LearningInput, config: Thresholds): MemoryUpdates {
  const { incident, recalled, result, now } = input;
  return {
    observation: observationUpdate(incident, result, { existing: recalled.repeatOf, config }),
    memory: pastAnswerOf(incident, result, { now, config }),
    procedure: procedureUpdate(input, config),
    shown: shownRecords(result),
  };
}

/** Ids of the past incidents that the answer shows as earlier fixes. */
function shownRecords({ answer, recalled }: Pick<TriageResult, "answer" | "recalled">): string[] {
  const incidents = new Set(recalled.incidents.map(({ id }) => id));
  const cited = answer.worked_before.flatMap(({ citations }) => citations);
  return [...new Set(cited)].filter((id) => incidents.has(id));
}

/** One observation a failure. A repeat replaces its text only if it is more informative and no fix is recorded. */
export function observationUpdate(
  incident: Incident,
  result: SummarisedResult,
  { existing, config }: { readonly existing: Observation | null; readonly config: Thresholds },
): ObservationUpdate {
  const finalScore = result.confidence * 10;
  const isBetter = existing !== null && isOpen(existing) && isMoreInformative(result, existing);
  const report = observedReport(incident);
  const observation: Observation = {
    ...summariseTriage(incident, result, config, existing?.id ?? null),
    id: existing?.id ?? incident.id,
    domain: incident.domain.name,
    fingerprint: report.fingerprint,
    signature: report.signature,
    version: existing?.version ?? 0,
    taskType: incident.type.name,
    target: incident.target,
    targets: existing?.targets ?? (incident.target === null ? [] : [incident.target]),
    severity: incident.severity,
    toolsUsed: toolsUsed(result),
    finalScore,
    reviewScore: existing?.reviewScore ?? null,
    occurrences: existing?.occurrences ?? 1,
    firstSeenAt: existing === null ? incident.createdAt : existing.firstSeenAt,
    lastSeenAt: incident.createdAt,
    seenAt: existing?.seenAt ?? [incident.createdAt],
    resolution: existing?.resolution ?? null,
    fixes: existing?.fixes ?? [],
  };
  return {
    observation,
    report,
    hasNewText: existing === null || isBetter,
    replaces: isBetter ? existing : null,
    repeatOf: existing?.id ?? null,
  };
}

/** Whether a repeat may replace the text: no fix is recorded and no person rated it positively. */
function isOpen({ resolution, reviewScore }: Observation): boolean {
  return resolution === null && (reviewScore ?? 0) <= 0;
}

/** Only a model's result replaces a model's text: a critique's score and a probability are not comparable. */
function isMoreInformative({ mode, confidence }: SummarisedResult, { writtenBy, finalScore }: Observation): boolean {
  return (mode === "model" || writtenBy === "extractive") && confidence * 10 > (finalScore ?? -1);
}

export function pastAnswerOf(
  incident: Incident,
  result: SummarisedResult & Pick<TriageResult, "triage_id">,
  { now, config }: { readonly now: Date; readonly config: Thresholds },
): PastAnswer {
  const { title, question } = incident;
  return {
    id: result.triage_id,
    domain: incident.domain.name,
    sessionId: incident.sessionId,
    triageId: result.triage_id,
    createdAt: now,
    question: truncate(question === null || question === title ? title : `${title}: ${question}`, QUESTION_LENGTH),
    answer: truncate(ownAnswer(result, config), ANSWER_LENGTH),
    isSummary: false,
  };
}

/** The past answer of a resolved incident. An answer that did not help is left out. */
export function withFix(
  pastAnswer: PastAnswer,
  fix: { readonly text: string; readonly by: string | null },
  worked: boolean | null,
): PastAnswer {
  const ownAnswer = worked === false ? "" : `\n${pastAnswer.answer}`;
  return { ...pastAnswer, answer: `${FIXED_BY}${describeFix(fix.text, fix.by)}${ownAnswer}` };
}

/** Only from an answer with a high critique score; an extractive answer has no critique. */
function procedureUpdate(
  { incident, recalled, result, now, procedureId }: LearningInput,
  config: Thresholds,
): ProcedureUpdate | null {
  const { critique, confidence } = result;
  if (critique === null || !isTrustedCause(result, config) || confidence < config.PROCEDURAL_THRESHOLD) return null;
  const retrievalHits = recalled.runbooks.reduce((sum, { hits }) => sum + hits.length, 0);
  const memoryHits = memoryHitCount(recalled);
  const { procedure } = recalled;
  return {
    procedure: {
      id: procedureId,
      domain: incident.domain.name,
      // As it is embedded at recall, so that the same report finds it again.
      query: searchText(incident),
      strategy: `retrieval_hits=${retrievalHits}, memory_hits=${memoryHits}, reflected=${critique.reflected}`,
      answer: ownAnswer(result, config),
      confidence,
      triageId: result.triage_id,
      createdAt: now,
    },
    mergeInto: procedure?.isSame === true ? procedure.id : null,
  };
}

/** Past incidents and past answers. */
export function memoryHitCount({ incidents, pastAnswers }: Pick<Recall, "incidents" | "pastAnswers">): number {
  return incidents.length + pastAnswers.length;
}

/** Searched in every investigation that memory keeps. */
const ALWAYS = ["runbooks", "incidents", "past_answers", "procedures"];

/** Comma-joined: a vector store holds no lists. Empty for an incident without a finished triage. */
export function toolsUsed({
  triage_id,
  recalled,
  usage,
  warnings = [],
  checks = [],
}: Partial<Pick<TriageResult, "triage_id" | "recalled" | "usage" | "warnings" | "checks">>): string {
  if (triage_id === undefined) return "";
  const isReranked = Boolean(recalled?.reranking) || warnings.some(({ dependency }) => dependency === "reranker");
  const asksModel = (usage?.calls ?? 0) > 0;
  const sources = new Set(checks.flatMap(({ source }) => source ?? []));
  return [
    ...ALWAYS,
    ...(isReranked ? ["reranker"] : []),
    ...(asksModel ? ["language_model"] : []),
    ...[...sources].sort().map((name) => `source:${name}`),
  ].join(",");
}
