// Dependencies of the incident queue.

import type { IndexServices } from "../search-index/services.ts";

export interface IncidentServices extends IndexServices {
  /**
   * Sends stored incidents to the investigation queue, where there is one. Never throws: the job `recover-stuck-runs`
   * finds incidents that were not sent.
   */
  readonly enqueueRuns: (incidentIds: readonly string[]) => Promise<void>;
}
