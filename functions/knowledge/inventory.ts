// Loads the cluster inventory: stored at once, and searchable when the response is sent, or soon after while the index
// or the embedder is slow or unavailable.

import type { InventoryCollection } from "../search-index/collections.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/search-services.ts";
import { idInCluster, type RejectedDocument, readInventoryDocuments } from "./inventory-documents.ts";
import { deleteInventoryDocuments, finishInventorySync, storeInventoryDocuments } from "./inventory-records.ts";

export type LoadedInventory =
  | { readonly state: "sync_ended" }
  | {
      readonly state: "stored";
      readonly upserted: number;
      readonly unchanged: number;
      readonly errors: readonly RejectedDocument[];
      /** Whether the index has all of them; otherwise the outbox completes it. */
      readonly indexed: boolean;
    };

/** @param documents unvalidated; each is accepted or rejected by itself. @throws DependencyError */
export async function loadInventory(
  services: IndexServices,
  collection: InventoryCollection,
  {
    documents: items,
    syncId,
    cluster,
  }: {
    readonly documents: readonly unknown[];
    readonly syncId?: string | undefined;
    readonly cluster?: string | undefined;
  },
): Promise<LoadedInventory> {
  const now = services.now();
  const { documents, rejected } = readInventoryDocuments(collection, items, { redact: services.redact, now, cluster });
  const stored = await storeInventoryDocuments(services.background.database, documents, {
    collection,
    now,
    claimUntil: claimUntil(services),
    cluster,
    syncId,
    rejected: rejected.flatMap(({ id }) => (id === null ? [] : idInCluster(id, cluster))),
  });
  if (stored.state === "sync_ended") return stored;
  const { upserted, unchanged, waiting, pending } = stored;
  const isWritten = await flushOutbox(services, pending);
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

/** Deletes the documents that the sync did not name; null for an unknown sync. @throws DependencyError */
export async function syncInventory(
  services: IndexServices,
  collection: InventoryCollection,
  { syncId, cluster }: { readonly syncId: string; readonly cluster?: string | undefined },
): Promise<SyncedInventory | null> {
  const change = { collection, syncId, cluster, now: services.now(), claimUntil: claimUntil(services) };
  const ended = await finishInventorySync(services.background.database, change);
  if (ended.state === "unknown") return null;
  const { upserted, unchanged, deleted, waiting, pending } = ended;
  return { upserted, unchanged, deleted, indexed: (await flushOutbox(services, pending)) && !waiting };
}

export interface DeletedInventory {
  readonly deleted: number;
  /** Ids without a document. */
  readonly unknown: readonly string[];
  readonly indexed: boolean;
}

/** Without ids, all documents of the cluster. */
export type InventorySelection =
  | { readonly ids: readonly string[]; readonly cluster?: string | undefined }
  | { readonly ids?: undefined; readonly cluster: string };

/** @throws DependencyError */
export async function deleteInventory(
  services: IndexServices,
  collection: InventoryCollection,
  selection: InventorySelection,
): Promise<DeletedInventory> {
  const { database } = services.background;
  const change = { collection, now: services.now(), claimUntil: claimUntil(services) };
  const ids = [...new Set(selection.ids ?? [])];
  const { deleted, pending } = await deleteInventoryDocuments(database, {
    ...change,
    ...(selection.ids === undefined
      ? { cluster: selection.cluster }
      : { ids: ids.map((id) => idInCluster(id, selection.cluster)) }),
  });
  const deletedIds = new Set(deleted);
  return {
    deleted: deletedIds.size,
    unknown: ids.filter((id) => !deletedIds.has(idInCluster(id, selection.cluster))),
    indexed: await flushOutbox(services, pending),
  };
}
