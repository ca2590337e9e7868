// Job: lists the clusters among the sources of evidence into the inventory, each as a cluster of its own. Two runs at once are
// safe: each claims its clusters. What left a cluster is removed only after a complete listing. What is beyond the limits counts as
// absent: a cluster with more has the first objects of each kind in the inventory.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { DependencyError, settle } from "../dependencies.ts";
import { readSources } from "../evidence-sources/source-store.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { type ClusterDocument, kindDocuments, objectDocuments } from "../knowledge/cluster-documents.ts";
import { loadInventory, syncInventory } from "../knowledge/inventory.ts";
import { MAX_INVENTORY_DOCUMENTS } from "../knowledge/inventory-documents.ts";
import { type ClusterListing, LISTED_KIND } from "../schemas/evidence/cluster-listing.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import type { InventoryCollection } from "../search-index/collections.ts";
import { createTimeLimit } from "./run-in-batches.ts";

/** Of one cluster. */
const MAX_OBJECTS = 2_000;
const LISTING_TIMEOUT_MS = 25_000;
/** Bounds the subrequests of a run; the next run continues with the others. */
const MAX_CLUSTERS = 3;

export interface SyncedClusters {
  /** Whose inventory is complete now. */
  readonly clusters: number;
  readonly upserted: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Not listed, or only in part; nothing of them was removed. */
  readonly failed: number;
}

type Counts = { -readonly [name in keyof SyncedClusters]: number };

/** @throws DependencyError when the database fails, or when no cluster was listed completely and one could not be listed */
export async function syncClusters(services: InvestigationServices): Promise<SyncedClusters> {
  const { evidenceSources, background, now } = services;
  const counts: Counts = { clusters: 0, upserted: 0, unchanged: 0, deleted: 0, failed: 0 };
  const before = now();
  const { definitions } = await readSources(evidenceSources.store, { database: background.database, now: before });
  const sources = new Map(definitions.filter(({ kind }) => kind === LISTED_KIND).map((each) => [each.name, each]));
  if (sources.size === 0) return counts;
  const isTimeUp = createTimeLimit(services);
  let failure: DependencyError | null = null;
  for (let tried = 0; tried < MAX_CLUSTERS && !isTimeUp(); tried++) {
    const scope = { clusters: [...sources.keys()], before, now: now() };
    const claim = await claimListing(background.database, scope);
    const source = claim === null ? undefined : sources.get(claim.cluster);
    if (claim === null || source === undefined) break;
    failure = (await syncCluster(services, { source, claim, counts })) ?? failure;
  }
  if (failure !== null && counts.clusters === 0) throw failure;
  return counts;
}

interface Task {
  readonly source: EvidenceSourceDefinition;
  readonly claim: ListingClaim;
  /** Raised by what was done. */
  readonly counts: Counts;
}

/** Returns why the cluster could not be listed. @throws DependencyError when the database fails */
async function syncCluster(services: InvestigationServices, task: Task): Promise<DependencyError | null> {
  const { source, claim, counts } = task;
  const { background, log } = services;
  try {
    const listed = await settle(list(services, source));
    if (!listed.ok) {
      counts.failed += 1;
      log("warn", "inventory.failed", { source: source.name, error: listed.error.message });
      return listed.error;
    }
    const { kinds, objects, isComplete, isCut, forbidden } = listed.value;
    if (!isComplete || isCut || forbidden > 0)
      log("warn", "inventory.partial", {
        source: source.name,
        kinds: kinds.length,
        objects: objects.length,
        forbidden,
        cut: isCut,
        incomplete: !isComplete,
      });
    await store(services, "capabilities", { ...task, documents: kindDocuments(listed.value), isComplete });
    await store(services, "instances", { ...task, documents: objectDocuments(listed.value), isComplete });
    if (isComplete) counts.clusters += 1;
    else counts.failed += 1;
    return null;
  } finally {
    await finishListing(background.database, claim);
  }
}

/** @throws DependencyError */
async function list(
  { evidenceSources }: InvestigationServices,
  source: EvidenceSourceDefinition,
): Promise<ClusterListing> {
  const created = evidenceSources.clientOf(source);
  if (created.state === "missing_credential")
    throw new DependencyError("evidence_source", "refused", `the Worker has no secret ${created.name}`);
  const listing = await created.client.listCluster?.({ timeoutMs: LISTING_TIMEOUT_MS, maxObjects: MAX_OBJECTS });
  if (listing === undefined) throw new Error(`A source of the kind ${source.kind} lists no cluster.`);
  return listing;
}

/** Loads the documents and, after a complete listing, removes those that it does not have. @throws DependencyError */
async function store(
  services: InvestigationServices,
  collection: InventoryCollection,
  {
    source,
    counts,
    documents,
    isComplete,
  }: Task & { readonly documents: readonly ClusterDocument[]; readonly isComplete: boolean },
): Promise<void> {
  const cluster = source.name;
  const syncId = isComplete ? services.newId() : undefined;
  // An empty batch begins the sync of a cluster whose last object is gone.
  for (let start = 0; start === 0 || start < documents.length; start += MAX_INVENTORY_DOCUMENTS) {
    const batch = documents.slice(start, start + MAX_INVENTORY_DOCUMENTS);
    const loaded = await loadInventory(services, collection, { documents: batch, syncId, cluster });
    if (loaded.state === "sync_ended") throw new Error("The sync ended before all of its documents were loaded.");
    counts.upserted += loaded.upserted;
    counts.unchanged += loaded.unchanged;
  }
  if (syncId === undefined) return;
  const synced = await syncInventory(services, collection, { syncId, cluster });
  counts.deleted += synced?.deleted ?? 0;
}

/** Longer than the listing of a cluster and the writes of its documents take. */
const CLAIM_MS = 300_000;

interface ListingClaim {
  readonly cluster: string;
  /** ISO 8601. */
  readonly claimUntil: string;
}

/**
 * Claims the cluster that was tried the longest time ago; null if none is left.
 * @param before clusters that were tried at this time or later are left out
 * @throws DependencyError
 */
async function claimListing(
  database: Database,
  { clusters, before, now }: { readonly clusters: readonly string[]; readonly before: Date; readonly now: Date },
): Promise<ListingClaim | null> {
  const claimUntil = new Date(now.getTime() + CLAIM_MS).toISOString();
  const p = { clusters: [...clusters], before: before.toISOString(), now: now.toISOString(), claim_until: claimUntil };
  const claimed = await database.call("claim_inventory_listing", { p }, z.object({ cluster: z.string() }).nullable());
  return claimed === null ? null : { cluster: claimed.cluster, claimUntil };
}

/** @throws DependencyError */
async function finishListing(database: Database, { cluster, claimUntil }: ListingClaim): Promise<void> {
  const p = { cluster, claim_until: claimUntil };
  await database.call("finish_inventory_listing", { p }, z.boolean(), { retries: 1 });
}
