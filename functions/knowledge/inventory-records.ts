// Owns the calls by which documents of clusters are stored, removed, and made equal to what a loader named.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type InventoryCollection, isKeywordSearched } from "../search-index/collections.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { documentRow, type SearchDocument } from "../search-index/search-document.ts";

interface Change {
  readonly collection: InventoryCollection;
  readonly now: Date;
  /** Until when the writes to the vector store are the caller's; ISO 8601. */
  readonly claimUntil: string;
}

const owing = { owed: pendingWritesSchema, waiting: z.boolean() };
const storedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("sync_ended") }),
  z.object({
    state: z.literal("stored"),
    upserted: z.array(z.string()),
    unchanged: z.array(z.string()),
    ...owing,
  }),
]);
const endedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("unknown") }),
  z.object({
    state: z.literal("ended"),
    upserted: z.number().int(),
    unchanged: z.number().int(),
    deleted: z.number().int(),
    ...owing,
  }),
]);
const deletedSchema = z.object({ deleted: z.array(z.string()), owed: pendingWritesSchema });

/** What of the documents was new, the writes that the caller holds, and whether others are waited for. */
export type StoredInventory = z.infer<typeof storedSchema>;
export type EndedSync = z.infer<typeof endedSchema>;

/**
 * Stores what is new or changed of the documents, in one transaction with the debts to the vector store.
 * @param rejected ids of documents that could not be taken: for the sync they are named, so their former version stays
 * @throws DependencyError
 */
export async function storeInventoryDocuments(
  database: Database,
  documents: readonly SearchDocument[],
  {
    collection,
    now,
    claimUntil,
    syncId,
    rejected,
  }: Change & { readonly syncId: string | undefined; readonly rejected: readonly string[] },
): Promise<StoredInventory> {
  const taken = new Set(documents.map(({ id }) => id));
  const options = { isKeywordSearched: isKeywordSearched(collection) };
  const p = {
    collection,
    now: now.toISOString(),
    claim_until: claimUntil,
    documents: documents.map((document) => documentRow(document, options)),
    rejected: [...new Set(rejected)].filter((id) => !taken.has(id)),
    ...(syncId === undefined ? {} : { sync_id: syncId }),
  };
  return database.call("put_knowledge", { p }, storedSchema, { retries: 1 });
}

/** Removes what the sync has not named. Repeated, it answers the same. @throws DependencyError */
export async function finishInventorySync(
  database: Database,
  { collection, now, claimUntil, syncId }: Change & { readonly syncId: string },
): Promise<EndedSync> {
  const p = { collection, now: now.toISOString(), claim_until: claimUntil, sync_id: syncId };
  return database.call("end_knowledge_sync", { p }, endedSchema, { retries: 1 });
}

/** @returns the ids that there were, and the removals that the vector store is owed. @throws DependencyError */
export async function deleteInventoryDocuments(
  database: Database,
  { collection, now, claimUntil, ids }: Change & { readonly ids: readonly string[] },
): Promise<{ readonly deleted: readonly string[]; readonly owed: PendingWrite[] }> {
  const p = { collection, now: now.toISOString(), claim_until: claimUntil, ids: [...ids] };
  // Not retried: after a lost reply the second call would say that there is nothing.
  return database.call("delete_knowledge", { p }, deletedSchema);
}
