// Stores and deletes documents of the cluster inventory, and completes syncs.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type InventoryCollection, isKeywordSearched } from "../search-index/collections.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { documentRow, type SearchDocument } from "../search-index/search-document.ts";

interface Change {
  readonly collection: InventoryCollection;
  readonly now: Date;
  /** End of the caller's claim on the writes to the vector store; ISO 8601. */
  readonly claimUntil: string;
  /** The name of the cluster; undefined for documents of no named cluster. */
  readonly cluster: string | undefined;
}

const writes = { pending: pendingWritesSchema, waiting: z.boolean() };
const storedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("sync_ended") }),
  z.object({
    state: z.literal("stored"),
    upserted: z.array(z.string()),
    unchanged: z.array(z.string()),
    ...writes,
  }),
]);
const endedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("unknown") }),
  z.object({
    state: z.literal("ended"),
    upserted: z.number().int(),
    unchanged: z.number().int(),
    deleted: z.number().int(),
    ...writes,
  }),
]);
const deletedSchema = z.object({ deleted: z.array(z.string()), pending: pendingWritesSchema });

/** The new documents, the claimed writes, and whether other writes are still waiting. */
export type StoredInventory = z.infer<typeof storedSchema>;
export type EndedSync = z.infer<typeof endedSchema>;

/**
 * Stores new and changed documents, in one transaction with their outbox entries.
 * @param rejected ids of rejected documents: the sync counts them as present, so their former version stays
 * @throws DependencyError
 */
export async function storeInventoryDocuments(
  database: Database,
  documents: readonly SearchDocument[],
  {
    collection,
    now,
    claimUntil,
    cluster,
    syncId,
    rejected,
  }: Change & { readonly syncId: string | undefined; readonly rejected: readonly string[] },
): Promise<StoredInventory> {
  const acceptedIds = new Set(documents.map(({ id }) => id));
  const options = { isKeywordSearched: isKeywordSearched(collection) };
  const p = {
    collection,
    now: now.toISOString(),
    claim_until: claimUntil,
    documents: documents.map((document) => documentRow(document, options)),
    rejected: [...new Set(rejected)].filter((id) => !acceptedIds.has(id)),
    ...(syncId === undefined ? {} : { sync_id: storedSyncId(syncId, cluster) }),
  };
  return database.call("put_inventory", { p }, storedSchema, { retries: 1 });
}

/** Deletes the documents that the sync did not name. May be repeated with the same result. @throws DependencyError */
export async function finishInventorySync(
  database: Database,
  { collection, now, claimUntil, cluster, syncId }: Change & { readonly syncId: string },
): Promise<EndedSync> {
  const p = {
    collection,
    now: now.toISOString(),
    claim_until: claimUntil,
    sync_id: storedSyncId(syncId, cluster),
    cluster: cluster ?? null,
  };
  return database.call("finish_inventory_sync", { p }, endedSchema, { retries: 1 });
}

export interface DeletedDocuments {
  readonly deleted: readonly string[];
  readonly pending: PendingWrite[];
}

/** Two clusters may use the same id for their loads. */
function storedSyncId(syncId: string, cluster: string | undefined): string {
  return cluster === undefined ? syncId : `${cluster}/${syncId}`;
}

/** @returns the ids that existed, and the pending removals from the vector store. @throws DependencyError */
export async function deleteInventoryDocuments(
  database: Database,
  {
    now,
    claimUntil,
    ...selection
  }: Omit<Change, "cluster"> & ({ readonly ids: string[] } | { readonly cluster: string }),
): Promise<DeletedDocuments> {
  const p = { ...selection, now: now.toISOString(), claim_until: claimUntil };
  // No retry: after a lost result the second call would find nothing.
  return database.call("delete_inventory", { p }, deletedSchema);
}
