// Deletes a record on request: from the database at once; from the vector store, from the results of other triages and from their
// memory in the background, or by the outbox and the job `delete-expired`.

import type { RunInBackground } from "../../background-tasks.ts";
import { type DeletionRequest, deleteRows } from "../../memory/deletion-records.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { withContext } from "../../telemetry/request-context.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { removeDeletedTexts } from "./remove-deleted-texts.ts";

/** @returns whether the record existed. @throws DependencyError */
export async function deleteRecord(
  services: InvestigationServices,
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
