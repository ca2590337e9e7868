// Second half of a recall: the current rows of the index's hits. The index may lag behind; ratings, deletions and
// counts are current only in Postgres.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { createRowCache, unlessCachedSchema } from "../search-index/row-cache.ts";
import { documentFromRow, documentRowSchema, type SearchDocument } from "../search-index/search-document.ts";
import { type Observation, recalledObservationSchema } from "./observation.ts";

export interface PastAnswerState {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly createdAt: Date;
  readonly sessionId: string;
  readonly rating: number;
  readonly isSummary: boolean;
}

export interface ProcedureState {
  readonly id: string;
  readonly query: string;
  readonly strategy: string;
  readonly answer: string;
  readonly confidence: number;
  readonly useCount: number;
  readonly lastUsedAt: Date;
}

/** Rows by id; a record that is missing here was deleted. */
export interface RecallState {
  readonly observations: ReadonlyMap<string, Observation>;
  readonly pastAnswers: ReadonlyMap<string, PastAnswerState>;
  readonly procedures: ReadonlyMap<string, ProcedureState>;
  /** Ids of the observations that a past answer or a procedure is about, by its id. */
  readonly records: ReadonlyMap<string, readonly string[]>;
  /** The observation with the same fingerprint; null for a new failure. It may be inactive. */
  readonly repeatOf: Observation | null;
  /** Whether several observations have this fingerprint. */
  readonly isAmbiguous: boolean;
  /** What a person named instead for these observations, at most one of a part for each. */
  readonly corrections: readonly RecordCorrection[];
  /** Pairs of the observations that a person separated. Only an exact fingerprint may lead to one of them. */
  readonly separated: readonly (readonly [string, string])[];
}

/** A correction of the answer to a report of a record. */
export interface RecordCorrection {
  readonly record: string;
  readonly part: "runbook" | "cause";
  /** The path of the runbook, or the cause. */
  readonly right: string;
  readonly at: string;
  /** Null if unknown. */
  readonly by: string | null;
  /** Of the runbook, in order; empty if it is not stored. */
  readonly sections: readonly SearchDocument[];
}

export interface RecalledIds {
  readonly domain: string;
  /** The likeliest first. */
  readonly incidents: readonly string[];
  readonly excludedDomains: readonly string[];
  readonly pastAnswers: readonly string[];
  readonly procedures: readonly string[];
  readonly fingerprint: string | null;
}

/** A past answer as the SQL functions return it. */
export const pastAnswerStateSchema = z
  .object({
    id: z.string(),
    question: z.string(),
    answer: z.string(),
    created_at: z.string(),
    session_id: z.string(),
    net_rating: z.number().int(),
    is_summary: z.boolean(),
  })
  .transform(
    (row): PastAnswerState => ({
      id: row.id,
      question: row.question,
      answer: row.answer,
      createdAt: new Date(row.created_at),
      sessionId: row.session_id,
      rating: row.net_rating,
      isSummary: row.is_summary,
    }),
  );

const procedureSchema = z
  .object({
    id: z.string(),
    query: z.string(),
    strategy: z.string(),
    answer: z.string(),
    confidence: z.number(),
    use_count: z.number(),
    last_used_at: z.string(),
  })
  .transform(
    (row): ProcedureState => ({
      id: row.id,
      query: row.query,
      strategy: row.strategy,
      answer: row.answer,
      confidence: row.confidence,
      useCount: row.use_count,
      lastUsedAt: new Date(row.last_used_at),
    }),
  );

/** Rows of each kind that one isolate keeps: some 10 MB at most. */
const KEPT_ROWS = 2_000;
const OBSERVATIONS = createRowCache<Observation>(KEPT_ROWS);
const PAST_ANSWERS = createRowCache<PastAnswerState>(KEPT_ROWS);
const PROCEDURES = createRowCache<ProcedureState>(KEPT_ROWS);

const stateSchema = z.object({
  observations: unlessCachedSchema(recalledObservationSchema),
  past_answers: unlessCachedSchema(pastAnswerStateSchema),
  procedures: unlessCachedSchema(procedureSchema),
  records: z.record(z.string(), z.array(z.string())),
  repeat_of: z.string().nullable(),
  is_ambiguous: z.boolean(),
  separated: z.array(z.tuple([z.string(), z.string()])),
  corrections: z.array(
    z.object({
      record: z.string(),
      part: z.enum(["runbook", "cause"]),
      right: z.string(),
      at: z.string(),
      by: z.string().nullable(),
      sections: z.array(documentRowSchema.transform(documentFromRow)),
    }),
  ),
});

/**
 * Records that a recall compares: the likeliest, and the likeliest with a fix, since unresolved ones must not displace those. With
 * fewer, the model of relevance cannot tell rare words from common ones, and shows fewer fixes.
 */
const COMPARED = 38;
const COMPARED_RESOLVED = 8;

/** One round trip for all layers. @throws DependencyError */
export async function readRecallState(database: Database, ids: RecalledIds): Promise<RecallState> {
  const { domain, incidents, excludedDomains, pastAnswers, procedures, fingerprint } = ids;
  const cachedObservations = OBSERVATIONS.cachedOf(incidents);
  const cachedPastAnswers = PAST_ANSWERS.cachedOf(pastAnswers);
  const cachedProcedures = PROCEDURES.cachedOf(procedures);
  const p = {
    domain,
    incidents: [...incidents],
    incident_limit: COMPARED,
    resolved_limit: COMPARED_RESOLVED,
    excluded_domains: [...excludedDomains],
    past_answers: [...pastAnswers],
    procedures: [...procedures],
    ...(fingerprint === null ? {} : { fingerprint: fingerprint }),
    cached: { ...cachedObservations.hashes, ...cachedPastAnswers.hashes, ...cachedProcedures.hashes },
  };
  const state = await database.call("recall_state", { p }, stateSchema, { retries: 1 });
  const observations = byId(cachedObservations.read(state.observations));
  const repeatOf = state.repeat_of === null ? null : (observations.get(state.repeat_of) ?? null);
  return {
    observations: byId([...observations.values()].filter(({ id }) => incidents.includes(id))),
    pastAnswers: byId(cachedPastAnswers.read(state.past_answers)),
    procedures: byId(cachedProcedures.read(state.procedures)),
    records: new Map(Object.entries(state.records)),
    repeatOf,
    isAmbiguous: state.is_ambiguous,
    separated: state.separated,
    corrections: state.corrections,
  };
}

function byId<T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}
