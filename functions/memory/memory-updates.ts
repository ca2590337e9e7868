// Memory updates of a finished triage by layer, as one transaction stores them.

import { documentRow } from "../search-index/search-document.ts";
import type { Observation } from "./observation.ts";
import { observationDocument, observationRow } from "./observation.ts";
import { type PastAnswer, pastAnswerRow } from "./past-answers.ts";
import { type NewProcedure, procedureRow } from "./procedures.ts";

export interface ObservationUpdate {
  /** The new state; its id is that of the record. */
  readonly observation: Observation;
  readonly incidentId: string;
  /** False when it only adds an occurrence to a stored observation. */
  readonly hasNewText: boolean;
  /** The record whose text it replaces, as it was read; null for a new one. */
  readonly replaces: Pick<Observation, "id" | "version"> | null;
}

export interface ProcedureUpdate {
  readonly procedure: NewProcedure;
  /** Id of the stored procedure that this one repeats; null for a new one. */
  readonly mergeInto: string | null;
}

export interface MemoryUpdates {
  readonly observation: ObservationUpdate | null;
  readonly memory: PastAnswer | null;
  readonly procedure: ProcedureUpdate | null;
}

export const NO_MEMORY_UPDATES: MemoryUpdates = { observation: null, memory: null, procedure: null };

/** Arguments of `finish_run`. */
export function memoryUpdateColumns({ observation, memory, procedure }: MemoryUpdates) {
  return {
    ...(observation ? { observation: observationColumns(observation) } : {}),
    ...(memory ? { past_answer: pastAnswerRow(memory) } : {}),
    ...(procedure ? { procedure: { row: procedureRow(procedure.procedure), merge_into: procedure.mergeInto } } : {}),
  };
}

/** Arguments of `record_observation` and `resolve_incident`. */
export function observationColumns({ observation, incidentId, hasNewText, replaces }: ObservationUpdate) {
  return {
    row: observationRow(observation, incidentId),
    document: hasNewText ? documentRow(observationDocument(observation)) : null,
    replaces: replaces && { id: replaces.id, version: replaces.version },
  };
}
