// Dependencies of the incident queue.

import type { KnowledgeServices } from "../knowledge/domain-store.ts";
import type { BufferServices } from "../write-buffer.ts";
import type { Guard } from "./guard-request.ts";

export interface IncidentServices extends KnowledgeServices, BufferServices {
  readonly guard: Guard;
  /**
   * Sends stored incidents to the investigation queue. Never throws: the job `recover-stuck-runs` finds incidents that
   * were not sent.
   * @returns number of incidents that were sent; 0 without a queue
   */
  readonly enqueueRuns: (incidentIds: readonly string[]) => Promise<number>;
  /**
   * Sends what is due to notification targets, of all domains. Never throws a DependencyError: the job `retry-outbox` sends
   * the rest.
   * @returns numbers of messages, by what became of them
   */
  readonly deliverNotifications: () => Promise<Readonly<Record<string, number>>>;
}
