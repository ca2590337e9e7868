// Owns what a finished triage teaches each layer of memory. Pure; finish_triage stores it in one transaction.

import type { Config } from "../../config.ts";
import { fingerprint } from "../../memory/fingerprint.ts";
import type { MemoryUpdates, ObservationUpdate, ProcedureUpdate } from "../../memory/memory-updates.ts";
import type { Observation } from "../../memory/observation.ts";
import { ANSWER_LENGTH, type PastAnswer, QUESTION_LENGTH } from "../../memory/past-answers.ts";
import { isSameProcedure } from "../../memory/procedures.ts";
import { type Incident, recallQuery, truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import type { Recall } from "../recall/recall-result.ts";
import { isTrustedCause, ownAnswer, type SummarisedResult, summariseTriage } from "./summarise-triage.ts";

type Thresholds = Pick<Config, "CONFIDENCE_THRESHOLD" | "PROCEDURAL_THRESHOLD">;

export interface LearningInput {
  /** As it was classified. */
  readonly incident: Incident;
  readonly recalled: Recall;
  readonly result: TriageResult;
  readonly now: Date;
  /** Names the procedure, should there be one. */
  readonly procedureId: string;
}

export function memoryUpdatesOf(input: LearningInput, config: Thresholds): MemoryUpdates {
  const { incident, recalled, result, now } = input;
  return {
    observation: observationUpdate(incident, result, { known: recalled.repeatOf, now, config }),
    memory: pastAnswerOf(incident, result, { now, config }),
    procedure: procedureUpdate(input, config),
  };
}

/** A failure is told once; a repeat tells it anew only when it does so better and nobody has fixed it yet. */
export function observationUpdate(
  incident: Incident,
  result: SummarisedResult,
  { known, now, config }: { readonly known: Observation | null; readonly now: Date; readonly config: Thresholds },
): ObservationUpdate {
  const finalScore = result.confidence * 10;
  const isBetter = known !== null && isOpen(known) && isMoreInformative(result, known);
  const observation: Observation = {
    ...summariseTriage(incident, result, config, known?.id ?? null),
    id: known?.id ?? incident.id,
    domain: incident.domain.name,
    fingerprint: fingerprint(incident),
    version: known?.version ?? 0,
    createdAt: now,
    task: incident.question ?? incident.title,
    taskType: incident.type.name,
    target: incident.target,
    severity: incident.severity,
    finalScore,
    quality: known?.quality ?? null,
    occurrences: known?.occurrences ?? 1,
    firstSeenAt: known === null ? incident.createdAt : known.firstSeenAt,
    lastSeenAt: incident.createdAt,
    resolution: known?.resolution ?? null,
    superseded: known?.superseded ?? [],
  };
  return {
    observation,
    incidentId: incident.id,
    isTold: known === null || isBetter,
    replaces: isBetter ? known : null,
  };
}

/** What somebody fixed, or vouched for, stays as it is. */
function isOpen({ resolution, quality }: Observation): boolean {
  return resolution === null && (quality ?? 0) <= 0;
}

/** A critic's score and a grounding are no figures to compare: what a model told is told anew by a model alone. */
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

/** Only what a critic found good is an approach worth taking again; a quoted answer has no critic. */
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
      query: recallQuery(incident),
      strategy: `retrieval_hits=${retrievalHits}, memory_hits=${memoryHits}, reflected=${critique.reflected}`,
      answer: ownAnswer(result, config),
      confidence,
      triageId: result.triage_id,
      createdAt: now,
    },
    mergeInto: procedure !== null && isSameProcedure(procedure) ? procedure.id : null,
  };
}

/** Past incidents and earlier answers. */
export function memoryHitCount({ incidents, memories }: Pick<Recall, "incidents" | "memories">): number {
  return incidents.length + memories.length;
}
