// Pending writes to the vector store. A change of a document adds an outbox entry in the same transaction. The process
// that made the change writes it soon after; the job `retry-outbox` repeats failed writes. The database leases an entry
// to one worker at a time. Writes are upserts, so a repeated write is harmless.

import { z } from "zod";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import { embedDocuments } from "./embed-documents.ts";
import { vectorRecord } from "./index-state.ts";
import { documentFromRow, documentRowSchema, type SearchDocument } from "./search-document.ts";
import type { IndexStores } from "./search-services.ts";

export interface PendingWrite {
  readonly outboxId: number;
  readonly collection: string;
  /** Null for a deleted document, which has to be deleted from the vector store too. */
  readonly document: SearchDocument | null;
  /** Hash of the document in Postgres; empty for a deleted document. */
  readonly contentHash: string;
  /** Whether the vector store has never held the document, as far as Postgres records it. */
  readonly isNew: boolean;
  readonly documentId: string;
  /** Number of attempts, including this one. */
  readonly attempts: number;
}

export interface WriteOutcome {
  readonly written: number;
  readonly failed: number;
}

/** Pending writes as the SQL functions return them. */
export const pendingWritesSchema = z
  .array(
    z.object({
      id: z.number().int(),
      collection: z.string(),
      document_id: z.string(),
      attempts: z.number().int(),
      document: documentRowSchema.nullable(),
      is_indexed: z.boolean(),
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
        contentHash: row.document?.content_hash ?? "",
        // A repeated attempt may follow a write whose confirmation was lost.
        isNew: !row.is_indexed && row.attempts <= 1,
      }),
    ),
  );

const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 3_600_000;

/** Exponential backoff: 30 s, 1 min, 2 min … up to an hour. */
export function retryDelayMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1), MAX_RETRY_MS);
}

/** Claims the due writes that no other worker has claimed. @throws DependencyError */
export async function claimPendingWrites(
  database: Database,
  { now, limit, leaseSeconds }: { readonly now: Date; readonly limit: number; readonly leaseSeconds: number },
): Promise<PendingWrite[]> {
  const args = { p_now: now.toISOString(), p_limit: limit, p_lease_seconds: leaseSeconds };
  return database.call("claim_outbox", args, pendingWritesSchema);
}

/** Documents that are embedded and stored together. Each group is recorded, so a timeout repeats only the rest. */
const DOCUMENTS_PER_GROUP = 50;
/** Removals need no embedding. */
const REMOVALS_PER_GROUP = 1_000;

/**
 * Copies the documents to the vector store and records each result in the outbox. A failure of the vector store or the
 * embedder is not thrown: it is counted and recorded with the time of the next attempt.
 * @throws DependencyError when the database fails; the claim then expires and the writes are repeated
 */
export async function performPendingWrites(
  stores: IndexStores,
  writes: readonly PendingWrite[],
  now: () => Date,
): Promise<WriteOutcome> {
  const removals = writes.filter(({ document }) => document === null);
  const upserts = writes.filter(({ document }) => document !== null);
  const groups = [...inGroups(removals, REMOVALS_PER_GROUP), ...inGroups(upserts, DOCUMENTS_PER_GROUP)];
  const total = { written: 0, failed: 0 };
  for (const [i, group] of groups.entries()) {
    const outcome = await performGroup(stores, group, now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    const remaining = groups.slice(i + 1).flat();
    // A whole group failed, so the dependency is unavailable and the next groups would fail too.
    if (outcome.error && outcome.written === 0 && remaining.length > 0) {
      await recordFailedWrites(stores.database, remaining, outcome.error, now());
      return { written: total.written, failed: writes.length - total.written };
    }
  }
  return total;
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

interface GroupOutcome extends WriteOutcome {
  /** The error of the attempt to write the whole group, even if single writes succeeded afterwards. */
  readonly error?: DependencyError;
}

async function performGroup(
  stores: IndexStores,
  writes: readonly PendingWrite[],
  now: () => Date,
): Promise<GroupOutcome> {
  const copied = await settle(copyToIndex(stores, writes));
  if (!copied.ok) {
    const { error } = copied;
    // For other failures, a single document may be the cause.
    const mayConcernOneDocument = error.failure !== "unreachable" && error.failure !== "model_mismatch";
    if (mayConcernOneDocument && writes.length > 1) return performOneByOne(stores, writes, now, error);
    await recordFailedWrites(stores.database, writes, error, now());
    return { written: 0, failed: writes.length, error };
  }
  const done = writes.map((write) => ({ id: write.outboxId, hash: write.contentHash }));
  await stores.database.call(
    "complete_outbox",
    { p_now: now().toISOString(), p_done: done, p_fingerprint: stores.vectors.fingerprint },
    IGNORE_RESULT,
    { retries: 1 },
  );
  return { written: writes.length, failed: 0 };
}

/** Writes one at a time, so that a refused document or an oversized batch does not block the other documents. */
async function performOneByOne(
  stores: IndexStores,
  writes: readonly PendingWrite[],
  now: () => Date,
  groupError: DependencyError,
): Promise<GroupOutcome> {
  const total = { written: 0, failed: 0 };
  for (const [i, write] of writes.entries()) {
    const outcome = await performGroup(stores, [write], now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    const remaining = writes.slice(i + 1);
    // Stops after two timeouts: the dependency does not answer for single documents either.
    if (groupError.failure === "timeout" && total.written === 0 && total.failed === 2 && remaining.length > 0) {
      await recordFailedWrites(stores.database, remaining, groupError, now());
      return { written: 0, failed: writes.length, error: groupError };
    }
  }
  return { ...total, error: groupError };
}

/** Records the error of claimed writes and the time of their next attempt. @throws DependencyError */
export async function recordFailedWrites(
  database: Database,
  writes: readonly PendingWrite[],
  error: DependencyError,
  now: Date,
): Promise<void> {
  const failures = writes.map((write) => ({
    id: write.outboxId,
    error: `${error.dependency} ${error.failure}`,
    next_attempt_at: new Date(now.getTime() + retryDelayMs(write.attempts)).toISOString(),
  }));
  await database.call("fail_outbox", { p_failures: failures }, IGNORE_RESULT, { retries: 1 });
}

async function copyToIndex(stores: IndexStores, writes: readonly PendingWrite[]): Promise<void> {
  const documents = writes.flatMap(({ document, collection, isNew }) =>
    document ? [{ document, collection, isNew }] : [],
  );
  const vectors = await embedDocuments(
    stores,
    documents.map(({ document }) => document),
  );
  for (const [collection, group] of groupByCollection(writes)) {
    const deletedIds = group.filter((write) => write.document === null).map((write) => write.documentId);
    if (deletedIds.length > 0) await stores.vectors.delete(collection, deletedIds);
    const records = documents.flatMap(({ document, collection: target, isNew }, i) => {
      const vector = vectors[i];
      if (target !== collection || !vector) return [];
      return [{ ...vectorRecord(document, vector), isNew }];
    });
    // Several pending writes of a document become one record: the store refuses duplicate ids in a request.
    const unique = new Map(records.map((record) => [record.id, record]));
    if (unique.size > 0) await stores.vectors.store(collection, [...unique.values()]);
  }
}

function groupByCollection(writes: readonly PendingWrite[]): Map<string, PendingWrite[]> {
  const groups = new Map<string, PendingWrite[]>();
  for (const write of writes) groups.set(write.collection, [...(groups.get(write.collection) ?? []), write]);
  return groups;
}
