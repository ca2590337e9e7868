// Owns the loading of what is known of clusters: stored at once, searchable when the answer leaves, or soon after where the
// index or the embedder is slow or away.

import type { InventoryCollection } from "../search-index/collections.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/services.ts";
import { type RejectedDocument, readInventoryDocuments } from "./inventory-documents.ts";
import { deleteInventoryDocuments, finishInventorySync, storeInventoryDocuments } from "./inventory-records.ts";

export type LoadedInventory =
  | { readonly state: "sync_ended" }
  | {
      readonly state: "stored";
      readonly upserted: number;
      readonly unchanged: number;
      readonly errors: readonly RejectedDocument[];
      /** Whether the index holds all of them by now; if not, it will. */
      readonly indexed: boolean;
    };

/** @param documents whatever was sent; each is judged alone. @throws DependencyError */
export async function loadInventory(
  services: IndexServices,
  collection: InventoryCollection,
  { documents: sent, syncId }: { readonly documents: readonly unknown[]; readonly syncId?: string | undefined },
): Promise<LoadedInventory> {
  const now = services.now();
  const { documents, rejected } = readInventoryDocuments(collection, sent, now);
  const stored = await storeInventoryDocuments(services.background.database, documents, {
    collection,
    now,
    claimUntil: claimUntil(services),
    syncId,
    rejected: rejected.flatMap(({ id }) => id ?? []),
  });
  if (stored.state === "sync_ended") return stored;
  const { upserted, unchanged, waiting, owed } = stored;
  const isWritten = await flushOutbox(services, owed);
  return {
    state: "stored",
    upserted: upserted.length,
    unchanged: unchanged.length,
    errors: rejected,
    indexed: isWritten && !waiting,
  };
}

export interface SyncedInventory {
  readonly upserted: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly indexed: boolean;
}

/** Removes what the sync has not named; null for a sync that never began. @throws DependencyError */
export async function syncInventory(
  services: IndexServices,
  collection: InventoryCollection,
  syncId: string,
): Promise<SyncedInventory | null> {
  const change = { collection, syncId, now: services.now(), claimUntil: claimUntil(services) };
  const ended = await finishInventorySync(services.background.database, change);
  if (ended.state === "unknown") return null;
  const { upserted, unchanged, deleted, waiting, owed } = ended;
  return { upserted, unchanged, deleted, indexed: (await flushOutbox(services, owed)) && !waiting };
}

export interface DeletedInventory {
  readonly deleted: number;
  /** Ids that there were not. */
  readonly unknown: readonly string[];
  readonly indexed: boolean;
}

/** @throws DependencyError */
export async function deleteInventory(
  services: IndexServices,
  collection: InventoryCollection,
  ids: readonly string[],
): Promise<DeletedInventory> {
  const change = { collection, ids, now: services.now(), claimUntil: claimUntil(services) };
  const { deleted, owed } = await deleteInventoryDocuments(services.background.database, change);
  const gone = new Set(deleted);
  return {
    deleted: gone.size,
    unknown: [...new Set(ids)].filter((id) => !gone.has(id)),
    indexed: await flushOutbox(services, owed),
  };
}
