// Owns what is learnt from one finished triage, layer by layer, in the form in which one transaction stores it.

import { documentRow } from "../search-index/search-document.ts";
import type { Observation } from "./observation.ts";
import { observationDocument, observationRow } from "./observation.ts";
import { type PastAnswer, pastAnswerRow } from "./past-answers.ts";
import { type NewProcedure, procedureRow } from "./procedures.ts";

export interface ObservationUpdate {
  /** As it is to be remembered; its id is that of the record. */
  readonly observation: Observation;
  readonly incidentId: string;
  /** False where it only adds to the count of a known failure. */
  readonly hasNewText: boolean;
  /** The record whose text it takes the place of, as it was read; null for a new one. */
  readonly replaces: Pick<Observation, "id" | "version"> | null;
}

export interface ProcedureUpdate {
  readonly procedure: NewProcedure;
  /** The known procedure that this is. */
  readonly mergeInto: string | null;
}

export interface MemoryUpdates {
  readonly observation: ObservationUpdate | null;
  readonly memory: PastAnswer | null;
  readonly procedure: ProcedureUpdate | null;
}

export const NO_MEMORY_UPDATES: MemoryUpdates = { observation: null, memory: null, procedure: null };

/** As `finish_run` takes them. */
export function memoryUpdateColumns({ observation, memory, procedure }: MemoryUpdates) {
  return {
    ...(observation ? { observation: observationColumns(observation) } : {}),
    ...(memory ? { past_answer: pastAnswerRow(memory) } : {}),
    ...(procedure ? { procedure: { row: procedureRow(procedure.procedure), merge_into: procedure.mergeInto } } : {}),
  };
}

/** As `record_observation` and `resolve_incident` take it. */
export function observationColumns({ observation, incidentId, hasNewText, replaces }: ObservationUpdate) {
  return {
    row: observationRow(observation, incidentId),
    document: hasNewText ? documentRow(observationDocument(observation)) : null,
    replaces: replaces && { id: replaces.id, version: replaces.version },
  };
}
