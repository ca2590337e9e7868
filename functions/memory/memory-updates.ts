// Owns what is learnt from one finished triage, layer by layer, in the form in which one transaction stores it.

import { documentRow } from "../search-index/search-document.ts";
import type { Observation } from "./observation.ts";
import { observationDocument, observationRow } from "./observation.ts";
import { type Memory, memoryRow } from "./past-answers.ts";
import { type NewProcedure, procedureRow } from "./procedures.ts";

export interface ObservationLesson {
  /** As it is to be remembered; its id is that of the record. */
  readonly observation: Observation;
  readonly incidentId: string;
  /** False where it only adds to the count of a known failure. */
  readonly isTold: boolean;
  /** The record whose text it takes the place of, as it was read; null for a new one. */
  readonly replaces: Pick<Observation, "id" | "version"> | null;
}

export interface ProcedureLesson {
  readonly procedure: NewProcedure;
  /** The known procedure that this is. */
  readonly mergeInto: string | null;
}

export interface Lessons {
  readonly observation: ObservationLesson | null;
  readonly memory: Memory | null;
  readonly procedure: ProcedureLesson | null;
}

export const NO_LESSONS: Lessons = { observation: null, memory: null, procedure: null };

/** As `finish_triage` takes them. */
export function lessonColumns({ observation, memory, procedure }: Lessons) {
  return {
    ...(observation ? { observation: observationColumns(observation) } : {}),
    ...(memory ? { memory: memoryRow(memory) } : {}),
    ...(procedure ? { procedure: { row: procedureRow(procedure.procedure), merge_into: procedure.mergeInto } } : {}),
  };
}

/** As `record_observation` and `resolve_incident` take it. */
export function observationColumns({ observation, incidentId, isTold, replaces }: ObservationLesson) {
  return {
    row: observationRow(observation, incidentId),
    document: isTold ? documentRow(observationDocument(observation)) : null,
    replaces: replaces && { id: replaces.id, version: replaces.version },
  };
}
