// Owns forgetting on request: gone from the database at once, from the vector store and from the results of other
// triages after the answer, or by the outbox and the retention job.

import type { RunInBackground } from "../background-tasks.ts";
import { settle } from "../dependencies.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/services.ts";
import { withContext } from "../telemetry/request-context.ts";
import { type DeletionRequest, deleteRows } from "./deletion-records.ts";
import { scrubResults } from "./maintenance.ts";

/** @returns whether there was such a record. @throws DependencyError */
export async function deleteRecord(
  services: IndexServices,
  record: Pick<DeletionRequest, "kind" | "id" | "by">,
  runInBackground: RunInBackground,
): Promise<boolean> {
  const request = { ...record, now: services.now(), claimUntil: claimUntil(services) };
  const writes = await deleteRows(services.background.database, request);
  if (writes === null) return false;
  withContext(record.kind === "incident" ? { incidentId: record.id.toLowerCase() } : {}, () => {
    runInBackground(flushOutbox(services, writes));
    runInBackground(scrub(services));
  });
  return true;
}

/** Results of other triages that one request cleans, and at how many strokes; the retention job does the rest. */
const RESULTS_A_BATCH = 200;
const BATCHES = 5;

async function scrub({ background, log }: IndexServices): Promise<void> {
  for (let i = 0; i < BATCHES; i++) {
    const scrubbed = await settle(scrubResults(background.database, RESULTS_A_BATCH));
    if (!scrubbed.ok) return log("warn", "memory.results_not_scrubbed", { error: scrubbed.error.message });
    if (scrubbed.value === 0) return;
  }
}
