// Claims of the clusters that the inventory lists by itself.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

/** Longer than the listing of a cluster and the writes of its documents take. */
const CLAIM_MS = 300_000;

export interface ListingClaim {
  readonly cluster: string;
  /** ISO 8601. */
  readonly claimUntil: string;
}

/**
 * Claims the cluster that was tried the longest time ago; null if none is left.
 * @param before clusters that were tried at this time or later are left out
 * @throws DependencyError
 */
export async function claimListing(
  database: Database,
  { clusters, before, now }: { readonly clusters: readonly string[]; readonly before: Date; readonly now: Date },
): Promise<ListingClaim | null> {
  const claimUntil = new Date(now.getTime() + CLAIM_MS).toISOString();
  const p = { clusters: [...clusters], before: before.toISOString(), now: now.toISOString(), claim_until: claimUntil };
  const claimed = await database.call("claim_inventory_listing", { p }, z.object({ cluster: z.string() }).nullable());
  return claimed === null ? null : { cluster: claimed.cluster, claimUntil };
}

/** @param complete whether the inventory now is what the cluster has. @throws DependencyError */
export async function finishListing(
  database: Database,
  { cluster, claimUntil }: ListingClaim,
  { complete, now }: { readonly complete: boolean; readonly now: Date },
): Promise<void> {
  const p = { cluster, claim_until: claimUntil, complete, now: now.toISOString() };
  await database.call("finish_inventory_listing", { p }, z.boolean(), { retries: 1 });
}
