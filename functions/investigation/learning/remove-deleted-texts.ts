// Removes deleted texts from the results of triages and from the memory that was made from these results.

import { type DependencyError, RestrictionError, settle } from "../../dependencies.ts";
import { removeTexts, storeRewritten } from "../../incidents/detail/text-removals.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import type { PendingWrite } from "../../search-index/outbox.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { rewriteMemory } from "./rewrite-memory.ts";

/** Results of one call; each is rewritten in the database. */
const RESULTS_PER_BATCH = 50;
/** Results of one call whose memory the Worker writes anew; each is read as a whole. */
const REWRITES_PER_BATCH = 20;
/** Calls after one request. The job `delete-expired` continues. */
const BATCHES_PER_REQUEST = 5;

/** After a deletion. Never throws a DependencyError. */
export async function removeDeletedTexts(services: InvestigationServices): Promise<void> {
  for (let i = 0; i < BATCHES_PER_REQUEST; i++) {
    const removed = await settle(removeBatch(services).catch(leaveToJob));
    if (!removed.ok) return reportUnfinished(services, removed.error);
    if (removed.value === 0) return;
  }
}

/** Results are of all domains: after the deletion of a restricted caller the job cleans them. @throws every other error */
function leaveToJob(error: unknown): number {
  if (error instanceof RestrictionError) return 0;
  throw error;
}

function reportUnfinished({ log }: InvestigationServices, { message }: DependencyError): void {
  log("warn", "memory.results_not_scrubbed", { error: message });
}

/** @returns the number of results that it changed or tried to change; 0 when nothing is left @throws DependencyError */
export async function removeBatch(services: InvestigationServices): Promise<number> {
  const { config, now } = services;
  const { database } = services.background;
  const limits = { results: RESULTS_PER_BATCH, rewrites: REWRITES_PER_BATCH };
  const { results, rewrites } = await removeTexts(database, limits);
  const writes: PendingWrite[] = [];
  for (const affected of rewrites) {
    const call = { now: now(), claimUntil: claimUntil(services) };
    const memory = rewriteMemory(affected, { now: call.now, config });
    writes.push(...(await storeRewritten(database, affected, memory, call)));
  }
  await flushOutbox(services, writes);
  return results + rewrites.length;
}
