// Owns what a finished triage teaches each layer of memory. Pure; finish_triage stores it in one transaction.

import type { Config } from "../../config.ts";
import { failureKey } from "../../memory/fingerprint.ts";
import type { Lessons, ObservationLesson, ProcedureLesson } from "../../memory/memory-updates.ts";
import type { Observation } from "../../memory/observation.ts";
import { ANSWER_LENGTH, type Memory, QUESTION_LENGTH } from "../../memory/past-answers.ts";
import { isSameProcedure } from "../../memory/procedures.ts";
import { type Incident, recallQuery, truncate } from "../../schemas/incident.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import type { Recall } from "../recall/recall-result.ts";
import { isBelieved, observe, ownAnswer, type Remembered } from "./summarise-triage.ts";

type Thresholds = Pick<Config, "CONFIDENCE_THRESHOLD" | "PROCEDURAL_THRESHOLD">;

export interface Taught {
  /** As it was classified. */
  readonly incident: Incident;
  readonly recalled: Recall;
  readonly result: TriageResult;
  readonly now: Date;
  /** Names the procedure, should there be one. */
  readonly procedureId: string;
}

export function lessonsOf(taught: Taught, config: Thresholds): Lessons {
  const { incident, recalled, result, now } = taught;
  return {
    observation: observationLesson(incident, result, { known: recalled.repeatOf, now, config }),
    memory: memoryOf(incident, result, { now, config }),
    procedure: procedureLesson(taught, config),
  };
}

/** A failure is told once; a repeat tells it anew only when it does so better and nobody has fixed it yet. */
export function observationLesson(
  incident: Incident,
  result: Remembered,
  { known, now, config }: { readonly known: Observation | null; readonly now: Date; readonly config: Thresholds },
): ObservationLesson {
  const finalScore = result.confidence * 10;
  const isBetter = known !== null && isOpen(known) && isTellingMore(result, known);
  const observation: Observation = {
    ...observe(incident, result, config, known?.id ?? null),
    id: known?.id ?? incident.id,
    domain: incident.domain.name,
    failureKey: failureKey(incident),
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
function isTellingMore({ mode, confidence }: Remembered, { writtenBy, finalScore }: Observation): boolean {
  return (mode === "model" || writtenBy === "extractive") && confidence * 10 > (finalScore ?? -1);
}

export function memoryOf(
  incident: Incident,
  result: Remembered & Pick<TriageResult, "triage_id">,
  { now, config }: { readonly now: Date; readonly config: Thresholds },
): Memory {
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
function procedureLesson(
  { incident, recalled, result, now, procedureId }: Taught,
  config: Thresholds,
): ProcedureLesson | null {
  const { critique, confidence } = result;
  if (critique === null || !isBelieved(result, config) || confidence < config.PROCEDURAL_THRESHOLD) return null;
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
