// Alerts of monitoring systems, in one form for all of them.

import type { Severity } from "./incident.ts";

export const ALERT_STATUSES = ["firing", "resolved"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** Source, fingerprint and start identify an alert; a second notification with the same three is a repetition. */
export interface Alert {
  /** The name of the webhook that it came by. */
  readonly source: string;
  /** The sender's id of the watched condition: an alert that fires again later has the same. */
  readonly fingerprint: string;
  readonly startsAt: Date;
  /** False if the sender reports no usable start: `startsAt` is then the time of receipt. */
  readonly startReported: boolean;
  /** Null while it fires, and when the sender does not report it. */
  readonly endsAt: Date | null;
  readonly status: AlertStatus;
  /** Whether the end belongs to the latest start of this fingerprint: the sender does not report the start. */
  readonly endsLatest: boolean;
  /** Whether the sender gives each reopening a new start, so that a known start is a replay. */
  readonly newStartWhenReopened: boolean;
  /** The alerting rule: alerts of one name that arrive together are one incident. */
  readonly alertname: string;
  readonly title: string;
  readonly description: string | null;
  readonly severity: Severity;
  /** The group that the sender put it into. */
  readonly groupKey?: string;
  /** The affected service, host or object. */
  readonly target: string | null;
  readonly namespace: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The URL or name of a runbook. */
  readonly runbook: string | null;
  /** The expression of its rule, in PromQL; null if the sender does not send it. */
  readonly expression: string | null;
}

/**
 * A notification that is not stored. Ignored: a test, or an event that neither starts nor ends an alert. Refused: the
 * alert is not readable.
 */
export interface UnstoredAlert {
  /** Empty when the sender gives none. */
  readonly fingerprint: string;
  readonly status: AlertStatus | null;
  /** The reason, for people to read. */
  readonly rule: string;
}

/** The content of one webhook request. */
export interface AlertDelivery {
  readonly source: string;
  readonly alerts: readonly Alert[];
  readonly ignored: readonly UnstoredAlert[];
  readonly refused: readonly UnstoredAlert[];
  /** Number of alerts that were left out, by the sender or because a request has too many. */
  readonly truncated: number;
}
