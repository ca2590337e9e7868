// Owns the copying of documents to the vector store: at once after a change, and later from the outbox when that failed.
// The database decides who holds a row; a write is an upsert, so doing it twice is harmless.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { parseReply } from "../adapters/rpc-result.ts";
import { DependencyError } from "../dependencies.ts";
import { vectorRecord } from "./index-state.ts";
import {
  contentHash,
  documentFromRow,
  documentRowSchema,
  documentText,
  type SearchDocument,
} from "./search-document.ts";
import type { IndexStores } from "./services.ts";

export interface PendingWrite {
  readonly outboxId: number;
  readonly collection: string;
  /** Null where the document is gone: then it has to leave the vector store too. */
  readonly document: SearchDocument | null;
  readonly documentId: string;
  /** This attempt included. */
  readonly attempts: number;
}

export interface WriteOutcome {
  readonly written: number;
  readonly failed: number;
}

/** Writes that are owed, as every SQL function returns them. */
export const pendingWritesSchema = z
  .array(
    z.object({
      id: z.number().int(),
      collection: z.string(),
      document_id: z.string(),
      attempts: z.number().int(),
      document: documentRowSchema.nullable(),
    }),
  )
  .transform((rows) =>
    rows.map(
      (row): PendingWrite => ({
        outboxId: row.id,
        collection: row.collection,
        documentId: row.document_id,
        attempts: row.attempts,
        document: row.document && documentFromRow(row.document),
      }),
    ),
  );

const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 3_600_000;

/** 30 s, 1 min, 2 min … up to an hour: soon enough after a blip, seldom enough in a long outage. */
export function retryDelayMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1), LONGEST_RETRY_MS);
}

/** Takes writes that are due and not held by anybody else. @throws DependencyError */
export async function claimPendingWrites(
  database: Database,
  { now, limit, leaseSeconds }: { readonly now: Date; readonly limit: number; readonly leaseSeconds: number },
): Promise<PendingWrite[]> {
  const args = { p_now: now.toISOString(), p_limit: limit, p_lease_seconds: leaseSeconds };
  return parseReply(pendingWritesSchema, await database.call("claim_outbox", args), "claim_outbox");
}

/** Documents that are embedded and stored at a time: what is done stays done when the time runs out. */
const DOCUMENTS_A_GROUP = 50;
/** A removal needs no vector. */
const REMOVALS_A_GROUP = 1_000;

/**
 * Copies the documents to the vector store and records in the outbox how each went. A failure of the vector store or
 * the embedder is recorded with the time of the next attempt and counted; only the database's own is thrown, and then
 * the claim runs out and the work is done again.
 */
export async function performPendingWrites(
  stores: IndexStores,
  writes: readonly PendingWrite[],
  now: () => Date,
): Promise<WriteOutcome> {
  const removals = writes.filter(({ document }) => document === null);
  const rest = writes.filter(({ document }) => document !== null);
  const groups = [...inGroups(removals, REMOVALS_A_GROUP), ...inGroups(rest, DOCUMENTS_A_GROUP)];
  const total = { written: 0, failed: 0 };
  for (const [i, group] of groups.entries()) {
    const outcome = await performTogether(stores, group, now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    const left = groups.slice(i + 1).flat();
    // What failed for all of one group fails for the next: the index is away, not a document bad.
    if (outcome.error && outcome.written === 0 && left.length > 0) {
      await recordFailedWrites(stores.database, left, outcome.error, now());
      return { written: total.written, failed: writes.length - total.written };
    }
  }
  return total;
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

interface GroupOutcome extends WriteOutcome {
  /** Why they could not be written together. */
  readonly error?: DependencyError;
}

async function performTogether(
  stores: IndexStores,
  writes: readonly PendingWrite[],
  now: () => Date,
): Promise<GroupOutcome> {
  try {
    await copyToIndex(stores, writes);
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    const mayBeOneOfThem = error.failure !== "unreachable" && error.failure !== "model_mismatch";
    if (mayBeOneOfThem && writes.length > 1) return performOneByOne(stores, writes, now, error);
    await recordFailedWrites(stores.database, writes, error, now());
    return { written: 0, failed: writes.length, error };
  }
  const done = writes.map((write) => ({ id: write.outboxId, hash: write.document ? contentHash(write.document) : "" }));
  await stores.database.call(
    "complete_outbox",
    { p_now: now().toISOString(), p_done: done, p_fingerprint: stores.vectors.fingerprint },
    1,
  );
  return { written: writes.length, failed: 0 };
}

/** So that a document that is refused, or a batch that is too much at once, does not keep its neighbours out. */
async function performOneByOne(
  stores: IndexStores,
  writes: readonly PendingWrite[],
  now: () => Date,
  together: DependencyError,
): Promise<GroupOutcome> {
  const total = { written: 0, failed: 0 };
  for (const [i, write] of writes.entries()) {
    const outcome = await performTogether(stores, [write], now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    const rest = writes.slice(i + 1);
    // A system that hangs for single documents too would only be waited for again and again.
    if (together.failure === "timeout" && total.written === 0 && total.failed === 2 && rest.length > 0) {
      await recordFailedWrites(stores.database, rest, together, now());
      return { written: 0, failed: writes.length, error: together };
    }
  }
  return { ...total, error: together };
}

/** Gives claimed writes back to the outbox, for a later attempt. @throws DependencyError */
export async function recordFailedWrites(
  database: Database,
  writes: readonly PendingWrite[],
  error: DependencyError,
  now: Date,
): Promise<void> {
  const failures = writes.map((write) => ({
    id: write.outboxId,
    error: `${error.system} ${error.failure}`,
    next_attempt_at: new Date(now.getTime() + retryDelayMs(write.attempts)).toISOString(),
  }));
  await database.call("fail_outbox", { p_failures: failures }, 1);
}

async function copyToIndex(stores: IndexStores, writes: readonly PendingWrite[]): Promise<void> {
  const documents = writes.flatMap(({ document, collection }) => (document ? [{ document, collection }] : []));
  const vectors = await stores.embedder.embed(documents.map(({ document }) => documentText(document)));
  for (const [collection, group] of groupByCollection(writes)) {
    const gone = group.filter((write) => write.document === null).map((write) => write.documentId);
    if (gone.length > 0) await stores.vectors.delete(collection, gone);
    const records = documents.flatMap(({ document, collection: target }, i) => {
      const vector = vectors[i];
      if (target !== collection || !vector) return [];
      return [vectorRecord(document, vector)];
    });
    // Two owed writes of one document are one record: the store refuses the same id twice in a request.
    const unique = new Map(records.map((record) => [record.id, record]));
    if (unique.size > 0) await stores.vectors.store(collection, [...unique.values()]);
  }
}

function groupByCollection(writes: readonly PendingWrite[]): Map<string, PendingWrite[]> {
  const groups = new Map<string, PendingWrite[]>();
  for (const write of writes) groups.set(write.collection, [...(groups.get(write.collection) ?? []), write]);
  return groups;
}
