// The lease of an Idempotency-Key: the living run renews it, so that the key of a dead one is free within seconds.

import { settle } from "../dependencies.ts";
import { type IdempotencyKey, renewIdempotencyLease } from "../incidents/run-records.ts";
import { repeat } from "../timers.ts";
import type { InvestigationServices } from "./run/services.ts";

/**
 * Renews the lease until it is stopped. Short runs end before the first renewal. A failed renewal has no effect: others
 * cannot take the key over without the database, and `finish_run` stores one run of a key.
 * @returns stops the renewals
 */
export function keepIdempotencyLease(
  { database, config, now, startTimer }: Pick<InvestigationServices, "database" | "config" | "now" | "startTimer">,
  { key }: IdempotencyKey,
  incidentId: string,
): () => void {
  const renew = () => void settle(renewIdempotencyLease(database, { key, incidentId, now: now() }));
  return repeat(startTimer, "idempotency_lease", config.IDEMPOTENCY_RENEWAL_MS, renew);
}
