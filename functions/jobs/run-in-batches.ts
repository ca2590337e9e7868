// Owns how long a job may go on: batch after batch while there is more, within bounds. The next tick takes the rest.

import type { InvestigationServices } from "../investigation/run/services.ts";

/** Bounds the subrequests of a run, of which the platform allows a thousand. */
export const MAX_BATCHES = 20;
/** Leaves the last batch time to end within the 60 s that somebody who starts a job by hand waits. */
export const MAX_RUN_MS = 20_000;

/** Starts the time of a run; what it returns says whether that is over. */
export function limitTime({ now }: Pick<InvestigationServices, "now">): () => boolean {
  const end = now().getTime() + MAX_RUN_MS;
  return () => now().getTime() >= end;
}

/** @param batch does one and says whether there may be more */
export async function inBatches(isOver: () => boolean, batch: () => Promise<boolean>): Promise<void> {
  for (let done = 0; done < MAX_BATCHES; done++) {
    const hasMore = await batch();
    if (!hasMore || isOver()) return;
  }
}
