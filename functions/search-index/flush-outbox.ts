// Step "remember": copies what was stored to the vector store within a time budget. The records and the debts to copy
// them are already in the database, so whatever happens here, the outbox ends it.

import { DependencyError } from "../dependencies.ts";
import { inSpan } from "../telemetry/span.ts";
import type { Span } from "../telemetry/trace-types.ts";
import { type PendingWrite, performPendingWrites, recordFailedWrites, retryDelayMs } from "./outbox.ts";
import type { IndexServices } from "./services.ts";

/** Until when the memory writes of a transaction are its caller's, who does them once the answer has left. */
export function claimUntil({ config, now }: Pick<IndexServices, "config" | "now">): string {
  return new Date(now().getTime() + config.OUTBOX_LEASE_SECONDS * 1_000).toISOString();
}

/**
 * Does writes that this caller holds. Never throws an expected failure; meant to run after the answer has left, or before
 * it where the caller is told whether the vector store holds them now.
 * @returns whether all of them are done
 */
export async function flushOutbox(services: IndexServices, writes: readonly PendingWrite[]): Promise<boolean> {
  if (writes.length === 0) return true;
  return inSpan("CHAIN", "remember", (span) => flushWithinTimeout(services, writes, span));
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
  try {
    const outcome = await withinBudget(performPendingWrites(services.background, writes, services.now), budgetMs);
    if (outcome === "late") {
      const late = new DependencyError(
        "chroma",
        "timeout",
        `the memory flushWithinTimeout took longer than ${budgetMs} ms`,
      );
      await recordFailedWrites(services.database, writes, late, services.now());
    }
    done = outcome !== "late" && outcome.failed === 0;
    if (!done) await services.scheduleOutboxDrain(retryDelayMs(1) / 1_000);
    const elapsed_ms = services.now().getTime() - started.getTime();
    if (done) services.log("info", "memory.written", { collections, elapsed_ms });
    else services.log("warn", "memory.deferred", { collections, elapsed_ms });
    return done;
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    // Only the database can fail this way; the claim runs out and the outbox takes over.
    services.log("warn", "memory.deferred", { collections, error: error.message });
    return false;
  }
}

/** One name a write, as long as that stays readable. */
function collectionsOf(writes: readonly PendingWrite[]): string {
  const names = writes.map(({ collection }) => collection);
  return (names.length > 10 ? [...new Set(names)] : names).join(" ");
}

async function withinBudget<T>(work: Promise<T>, budgetMs: number): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), budgetMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {}); // A failure after the budget is the outbox's business already.
  }
}
