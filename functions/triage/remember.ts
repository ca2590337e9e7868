// Step "remember": copies the incident's record to the vector store within a time budget. The record and the debt to
// copy it are already in the database, so whatever happens here, the outbox ends it.

import type { DomainName } from "../domains/domain.ts";
import { incidentCollection } from "../memory/incident.ts";
import type { MemoryWrite } from "../memory/incident-log.ts";
import { performOwedWrites, recordFailure, retryDelayMs } from "../memory/outbox.ts";
import type { SearchDocument } from "../memory/search-document.ts";
import { OutsideError } from "../stores/outside.ts";
import type { TriageServices } from "./services.ts";

export interface Memory {
  readonly outboxId: number;
  readonly incidentId: string;
  readonly collection: string;
  readonly document: SearchDocument;
}

/** The memory write that goes into the transaction: claimed by the caller, who does it once the answer has left. */
export function claimedWrite(
  { config }: Pick<TriageServices, "config">,
  { domain, document, now }: { readonly domain: DomainName; readonly document: SearchDocument; readonly now: Date },
): MemoryWrite {
  const claimUntil = new Date(now.getTime() + config.OUTBOX_LEASE_SECONDS * 1_000);
  return { collection: incidentCollection(domain), document, claimUntil };
}

/** Never throws an expected failure; meant to run after the answer has left. */
export async function remember(services: TriageServices, memory: Memory): Promise<void> {
  const write = { ...memory, documentId: memory.document.id, attempts: 1 };
  const budgetMs = services.config.MEMORY_WRITE_TIMEOUT_MS;
  const started = services.now();
  try {
    const outcome = await withinBudget(performOwedWrites(services.background, [write], services.now), budgetMs);
    if (outcome === "late") {
      const late = new OutsideError("chroma", "timeout", `the memory write took longer than ${budgetMs} ms`);
      await recordFailure(services.database, [write], late, services.now());
    }
    const done = outcome !== "late" && outcome.written === 1;
    if (!done) await services.wakeOutbox(retryDelayMs(write.attempts) / 1_000);
    services.log(done ? "info" : "warn", done ? "memory.written" : "memory.deferred", {
      incident_id: memory.incidentId,
      elapsed_ms: services.now().getTime() - started.getTime(),
    });
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    // Only the database can fail this way; the claim runs out and the outbox takes over.
    services.log("warn", "memory.deferred", { incident_id: memory.incidentId, error: error.message });
  }
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
