// Dependencies of everything that sends to notification targets. They concern all domains, also in the services of a caller that
// is restricted.

import type { Database } from "../adapters/database.ts";
import type { Log } from "../telemetry/log.ts";
import type { NotificationTarget } from "./target-definition.ts";
import type { Connection } from "./targets/target.ts";

export interface DeliveryServices {
  readonly database: Database;
  readonly now: () => Date;
  readonly log: Log;
  /** 0 to 1. */
  readonly random: () => number;
  /** Requests a run of the outbox after a delay, where there is a queue. */
  readonly scheduleOutboxDrain: (delaySeconds: number) => Promise<void>;
  /** Addresses of links; null where no setting names them. */
  readonly origin: string | null;
  /**
   * The connection to a target. The credential is read from the environment by its name, at this moment.
   * @throws DependencyError without the credential
   */
  readonly connect: (target: NotificationTarget) => Connection;
}

export interface NotificationTargets {
  readonly connect: DeliveryServices["connect"];
  /** Why it can send nothing, such as a missing secret, as the end of a sentence; null if nothing is wrong with its definition. */
  readonly problemOf: (target: NotificationTarget) => string | null;
}

export type DeliveryCounts = {
  readonly notifications_delivered: number;
  readonly notifications_failed: number;
  readonly notifications_given_up: number;
};
