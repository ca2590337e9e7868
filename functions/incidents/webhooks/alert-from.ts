// An alert from the fields that every monitoring system reports in some form. Pure functions.

import type { Alert, AlertDelivery, AlertStatus, UnstoredAlert } from "../../schemas/alert.ts";
import { alertFingerprint, boundedLabels, fingerprintOfLabels, LIMITS, truncateToLimit } from "./alert-limits.ts";
import { endAfter, startOf } from "./alert-times.ts";
import { severityOf } from "./severity.ts";
import type { DeliveryContext } from "./webhook.ts";

type Text = string | null | undefined;

export interface ReportedAlert {
  readonly source: string;
  /** The sender's id of the watched condition; without one, name and labels identify the alert. */
  readonly id: Text;
  readonly status: AlertStatus;
  /** The latest start of this id, if the sender reports only when it ended. */
  readonly startsAt: Date | undefined;
  readonly endsAt?: Date | undefined;
  readonly endsLatest: boolean;
  readonly name: Text;
  /** Default: the name, and the target. */
  readonly title?: Text;
  /** Paragraphs; blank ones are left out. */
  readonly description: readonly Text[];
  /** The page of the alert at its sender. */
  readonly link: Text;
  /** The first word that means a severity counts. */
  readonly severity: readonly Text[];
  /** Default: what the labels name. */
  readonly target: Text;
  readonly labels: Readonly<Record<string, Text>>;
  /** Default: a link to a runbook in the labels or in the description. */
  readonly runbook?: Text;
}

export function alertFrom(reported: ReportedAlert, { receivedAt, targetOf }: DeliveryContext): Alert {
  const { source, status, endsLatest, link, runbook } = reported;
  const start = startOf(reported.startsAt, receivedAt);
  const labels = boundedLabels(reported.labels);
  const alertname = truncateToLimit(reported.name, LIMITS.name) ?? "unnamed alert";
  const target = truncateToLimit(reported.target, LIMITS.name) ?? truncateToLimit(targetOf(labels), LIMITS.name);
  const description = reported.description.filter(isFilled).join("\n");
  return {
    source,
    fingerprint: alertFingerprint(reported.id) ?? fingerprintOfLabels({ ...labels, alertname }) ?? alertname,
    ...start,
    endsAt: status === "resolved" ? endAfter(start.startsAt, reported.endsAt) : null,
    status,
    endsLatest,
    newStartWhenReopened: true,
    alertname,
    title: truncateToLimit(reported.title, LIMITS.title) ?? (target === null ? alertname : `${alertname} on ${target}`),
    description: truncateToLimit(withLink(description, link), LIMITS.description),
    severity: severityOf(...reported.severity, labels.severity),
    target,
    namespace: truncateToLimit(labels.namespace ?? labels.kube_namespace ?? labels.namespace_name, LIMITS.name),
    labels,
    runbook: truncateToLimit(
      [runbook, labels.runbook_url, labels.runbook, runbookIn(description)].find(isFilled),
      LIMITS.runbook,
    ),
    expression: null,
  };
}

/** The delivery of one notification. */
export function deliveryFrom(
  source: string,
  alert: Alert | null,
  ignored: readonly UnstoredAlert[] = [],
): AlertDelivery {
  return { source, alerts: alert === null ? [] : [alert], ignored, refused: [], truncated: 0 };
}

/** The text with the page of the alert at its sender below it. */
export function withLink(text: string, link: Text): string {
  return [text, isFilled(link) ? `link: ${link}` : ""].filter(isFilled).join("\n");
}

/** An address that a text names as its runbook: `Runbook: https://…`, `runbook_url=https://…`. */
function runbookIn(text: string): string | undefined {
  return /\brunbook(?:[ _]?(?:url|link))?\W{0,4}(https?:\/\/[^\s)\]>"']{1,2000})/i.exec(text)?.[1];
}

export function isFilled(text: Text): text is string {
  return text !== null && text !== undefined && text.trim() !== "";
}
