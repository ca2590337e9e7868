// Dependencies of the incident queue.

import type { KnowledgeServices } from "../knowledge/domain-store.ts";
import type { BufferServices } from "../write-buffer.ts";

export interface IncidentServices extends KnowledgeServices, BufferServices {
  /**
   * Sends stored incidents to the investigation queue. Never throws: the job `recover-stuck-runs` finds incidents that
   * were not sent.
   * @returns number of incidents that were sent; 0 without a queue
   */
  readonly enqueueRuns: (incidentIds: readonly string[]) => Promise<number>;
}
