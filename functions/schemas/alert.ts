// Owns the alert: what a monitoring system says of one thing that is wrong, in one form for all of them.

import type { Severity } from "./incident.ts";

export const ALERT_SOURCES = ["alertmanager", "grafana", "pagerduty"] as const;
export type AlertSource = (typeof ALERT_SOURCES)[number];

export const ALERT_STATUSES = ["firing", "resolved"] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** Together with its source and start, the fingerprint names one alert: what is said again of that one is a repetition. */
export interface Alert {
  readonly source: AlertSource;
  /** The sender's id of what is watched: an alert that fires again later has the same. */
  readonly fingerprint: string;
  readonly startsAt: Date;
  /** Null while it fires, and where the sender does not say. */
  readonly endsAt: Date | null;
  readonly status: AlertStatus;
  /** Whether the end is meant for the latest start of this fingerprint, since the sender does not name the start. */
  readonly endsLatest: boolean;
  /** What is watched for: alerts of one name that come together are one incident. */
  readonly alertname: string;
  readonly title: string;
  readonly description: string | null;
  readonly severity: Severity;
  /** The service, host or object that it is about. */
  readonly target: string | null;
  readonly namespace: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** The runbook that it names, as a URL or a name. */
  readonly runbook: string | null;
}

/** What was sent and is no alert to be handled: a test, an event of no concern. */
export interface IgnoredAlert {
  readonly fingerprint: string;
  readonly status: AlertStatus | null;
  /** Why, in words for a person. */
  readonly rule: string;
}

/** One webhook, whoever sent it. */
export interface AlertDelivery {
  readonly source: AlertSource;
  readonly alerts: readonly Alert[];
  readonly ignored: readonly IgnoredAlert[];
  /** Alerts that the sender left out. */
  readonly truncated: number;
}
