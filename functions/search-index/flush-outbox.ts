// Immediate copy of pending writes to the vector store, within a timeout. Records and outbox entries are already in the
// database, so the outbox retries whatever fails here.

import { DependencyError, settle } from "../dependencies.ts";
import { inSpan } from "../telemetry/span.ts";
import type { Span } from "../telemetry/trace-types.ts";
import { within } from "../timers.ts";
import {
  type PendingWrite,
  performPendingWrites,
  recordFailedWrites,
  retryDelayMs,
  type WriteOutcome,
} from "./outbox.ts";
import type { IndexServices } from "./search-services.ts";

/** Returns the end of the lease on the pending writes of a transaction: its caller flushes them after the response. */
export function claimUntil({ config, now }: Pick<IndexServices, "config" | "now">): string {
  return new Date(now().getTime() + config.OUTBOX_LEASE_SECONDS * 1_000).toISOString();
}

/**
 * Performs pending writes that this caller has claimed. Never throws a DependencyError. Runs after the response, or
 * before it when the response reports whether the vector store is up to date.
 * @returns whether all writes succeeded
 */
export async function flushOutbox(services: IndexServices, writes: readonly PendingWrite[]): Promise<boolean> {
  if (writes.length === 0) return true;
  return inSpan("CHAIN", "flush outbox", (span) => flushWithinTimeout(services, writes, span));
}

async function flushWithinTimeout(
  services: IndexServices,
  writes: readonly PendingWrite[],
  span: Span,
): Promise<boolean> {
  const budgetMs = services.config.MEMORY_WRITE_TIMEOUT_MS;
  const started = services.now();
  const collections = collectionsOf(writes);
  let done = false;
  span.set(() => ({ "dejavu.writes": writes.length, "dejavu.collections": collections, "dejavu.indexed": done }));
  const flushed = await settle(performWithinBudget(services, writes, budgetMs));
  if (!flushed.ok) {
    // Only the database can fail here. The lease expires, and the outbox retries.
    services.log("warn", "outbox.deferred", { collections, error: flushed.error.message });
    return false;
  }
  done = flushed.value;
  const elapsed_ms = services.now().getTime() - started.getTime();
  if (done) services.log("info", "outbox.flushed", { collections, elapsed_ms });
  else services.log("warn", "outbox.deferred", { collections, elapsed_ms });
  return done;
}

/** @returns whether all writes succeeded within the budget */
async function performWithinBudget(
  services: IndexServices,
  writes: readonly PendingWrite[],
  budgetMs: number,
): Promise<boolean> {
  const { startTimer, background, now } = services;
  const budget = { startTimer, name: "memory_write", ms: budgetMs } as const;
  const work = performPendingWrites(background, writes, now);
  const outcome = await within<WriteOutcome | "late">(budget, work, () => "late");
  if (outcome === "late") {
    const late = new DependencyError("vector_store", "timeout", `the memory write took longer than ${budgetMs} ms`);
    await recordFailedWrites(services.database, writes, late, now());
  }
  const done = outcome !== "late" && outcome.failed === 0;
  if (!done) await services.scheduleOutboxDrain(retryDelayMs(1) / 1_000);
  return done;
}

/** One collection name for each write; distinct names when there are more than ten writes. */
function collectionsOf(writes: readonly PendingWrite[]): string {
  const names = writes.map(({ collection }) => collection);
  return (names.length > 10 ? [...new Set(names)] : names).join(" ");
}
