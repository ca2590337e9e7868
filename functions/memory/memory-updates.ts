// Memory updates of a finished triage by layer, as one transaction stores them.

import { documentRow } from "../search-index/search-document.ts";
import type { Observation } from "./observation.ts";
import { observationDocument, observationRow } from "./observation.ts";
import type { ObservedReport } from "./observed-report.ts";
import { type PastAnswer, pastAnswerRow } from "./past-answers.ts";
import { type NewProcedure, procedureRow } from "./procedures.ts";

export interface ObservationUpdate {
  /** The new state; its id is that of the record. */
  readonly observation: Observation;
  /** The report that it adds. */
  readonly report: ObservedReport;
  /** False when it only adds an occurrence to a stored observation. */
  readonly hasNewText: boolean;
  /** The record whose text it replaces, as it was read; null for a new one. */
  readonly replaces: Pick<Observation, "id" | "version"> | null;
  /** Id of the record that the report repeats; the database prefers the record of its fingerprint. Null for a new failure. */
  readonly repeatOf: string | null;
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
  /** Ids of the observations that the answer shows. */
  readonly shown: readonly string[];
}

export const NO_MEMORY_UPDATES: MemoryUpdates = { observation: null, memory: null, procedure: null, shown: [] };

/** Arguments of `finish_run`. */
export function memoryUpdateColumns({ observation, memory, procedure, shown }: MemoryUpdates) {
  return {
    shown: [...shown],
    ...(observation ? { observation: observationColumns(observation) } : {}),
    ...(memory ? { past_answer: pastAnswerRow(memory) } : {}),
    ...(procedure ? { procedure: { row: procedureRow(procedure.procedure), merge_into: procedure.mergeInto } } : {}),
  };
}

/**
 * Arguments of `record_observation` and `resolve_incident`. The document of a report that is only counted is that of a record of
 * its own: it gets one if a person moved it to another domain during its run.
 */
export function observationColumns({ observation, report, hasNewText, replaces, repeatOf }: ObservationUpdate) {
  const described = hasNewText ? observation : { ...observation, firstSeenAt: report.reportedAt, resolution: null };
  return {
    row: observationRow(observation, report),
    document: documentRow(observationDocument(described)),
    replaces: replaces && { id: replaces.id, version: replaces.version },
    repeat_of: repeatOf,
  };
}

/** The document of an observation whose resolution changed, with the state that it describes. */
export function revisedColumns(observation: Observation) {
  return {
    version: observation.version,
    resolution: observation.resolution?.text ?? null,
    resolved_by: observation.resolution?.by ?? null,
    document: documentRow(observationDocument(observation)),
  };
}
