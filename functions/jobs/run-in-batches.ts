// Time and batch limits of a job run. The next tick continues.

import type { InvestigationServices } from "../investigation/run/investigation-services.ts";

/** Bounds the subrequests of a run; Cloudflare allows 1,000. */
export const MAX_BATCHES = 20;
/** Leaves the last batch time to finish before `dejavu jobs run` gives up. */
export const MAX_RUN_MS = 20_000;

/** Starts the time of a run. @returns a function that reports whether the time is up */
export function createTimeLimit({ now }: Pick<InvestigationServices, "now">): () => boolean {
  const end = now().getTime() + MAX_RUN_MS;
  return () => now().getTime() >= end;
}

/** @param batch processes one batch and returns whether there may be more */
export async function runInBatches(isTimeUp: () => boolean, batch: () => Promise<boolean>): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const hasMore = await batch();
    if (!hasMore || isTimeUp()) return;
  }
}
