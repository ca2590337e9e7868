// Removal of deleted texts in the database: results that hold them, and the memory that was made from these results.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import { observationSchema } from "../../memory/observation.ts";
import { type PendingWrite, pendingWritesSchema } from "../../search-index/outbox.ts";
import type { documentRow } from "../../search-index/search-document.ts";
import { incidentWithHistorySchema } from "../incident-records.ts";

const affectedMemorySchema = z
  .object({
    removal_id: z.number().int(),
    triage_id: z.string(),
    /** Identifies the stored result. */
    digest: z.string(),
    incident: incidentWithHistorySchema.shape.incident,
    /** After the removal, but with all texts that were recalled. */
    result: z.unknown(),
    /** The same for the newest triage of the incident; null if this one is the newest. */
    latest: z.unknown(),
    past_answer: z.object({ answer: z.string(), content_hash: z.string() }).nullable(),
    has_procedure: z.boolean(),
    /** The record whose text describes the incident. */
    observation: observationSchema.nullable(),
  })
  .transform(({ removal_id, triage_id, past_answer, has_procedure, ...rest }) => ({
    ...rest,
    removalId: removal_id,
    triageId: triage_id,
    pastAnswer: past_answer,
    hasProcedure: has_procedure,
  }));
/** The memory that was made from a result that holds a deleted text. */
export type AffectedMemory = z.infer<typeof affectedMemorySchema>;

/** The same without the deleted text. A part is null where memory has none. */
export interface RewrittenMemory {
  readonly past_answer: {
    readonly answer: string;
    readonly content_hash: string;
    /** The hash of the former answer. */
    readonly replaces: string;
  } | null;
  readonly procedure_answer: string | null;
  readonly observation: {
    /** Of the former text. */
    readonly version: number;
    readonly title: string;
    readonly narrative: string;
    readonly facts: string[];
    readonly written_by: string;
    readonly document: ReturnType<typeof documentRow>;
  } | null;
}

const removedSchema = z.object({ results: z.number().int(), rewrites: z.array(affectedMemorySchema) });
/** The number of changed results, and results that are unchanged until their memory is written anew. */
export type RemovedTexts = z.infer<typeof removedSchema>;

/** Continues the oldest removal. @returns 0 results and no rewrites when nothing is left @throws DependencyError */
export async function removeTexts(
  database: Database,
  { results, rewrites }: { readonly results: number; readonly rewrites: number },
): Promise<RemovedTexts> {
  const args = { p_limit: results, p_rewrites: rewrites };
  return database.call("remove_deleted_texts", args, removedSchema, { retries: 1 });
}

/** Removes the text from one result and stores its memory, unless one of them changed meanwhile. @throws DependencyError */
export async function storeRewritten(
  database: Database,
  { removalId, triageId, digest }: Pick<AffectedMemory, "removalId" | "triageId" | "digest">,
  memory: RewrittenMemory,
  { now, claimUntil }: { readonly now: Date; readonly claimUntil: string },
): Promise<PendingWrite[]> {
  const call = { now: now.toISOString(), claim_until: claimUntil };
  const p = { ...call, removal_id: removalId, triage_id: triageId, digest, ...memory };
  return database.call("rewrite_memory", { p }, pendingWritesSchema);
}
