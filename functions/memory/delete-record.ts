// Deletes a record on request: from the database at once, and from the vector store and other triages' results in the
// background, or by the outbox and the job `delete-expired`.

import type { RunInBackground } from "../background-tasks.ts";
import { RestrictionError, settle } from "../dependencies.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/services.ts";
import { withContext } from "../telemetry/request-context.ts";
import { type DeletionRequest, deleteRows } from "./deletion-records.ts";
import { removeDeletedFromResults } from "./maintenance.ts";

/** @returns whether the record existed. @throws DependencyError */
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
    runInBackground(removeDeletedTexts(services));
  });
  return true;
}

/** Results are of all domains: for a restricted caller the job `delete-expired` cleans them. @throws every other error */
function leaveToJob(error: unknown): void {
  if (!(error instanceof RestrictionError)) throw error;
}

/** Results and batches that one request cleans; the job `delete-expired` continues. */
const RESULTS_PER_BATCH = 200;
const MAX_BATCHES = 5;

/** Removes deleted records, runbooks and documents from stored results of triages. Never throws a DependencyError. */
export function removeDeletedTexts(services: IndexServices): Promise<void> {
  return removeInBatches(services).catch(leaveToJob);
}

async function removeInBatches({ background, log }: IndexServices): Promise<void> {
  for (let i = 0; i < MAX_BATCHES; i++) {
    const removed = await settle(removeDeletedFromResults(background.database, RESULTS_PER_BATCH));
    if (!removed.ok) return log("warn", "memory.results_not_scrubbed", { error: removed.error.message });
    if (removed.value === 0) return;
  }
}
