// Stores alerts. One SQL function decides about all alerts of a webhook, so an alert is stored once however often it is
// delivered.

import { z } from "zod";
import { readMechanisms } from "../../lib/mechanisms/read-mechanisms.ts";
import { isSymptom } from "../../lib/mechanisms/weigh-mechanisms.ts";
import type { Database, FunctionArguments } from "../adapters/database.ts";
import { withoutExporter } from "../knowledge/domains/label-rules.ts";
import { ALERT_STATUSES, type Alert } from "../schemas/alert.ts";
import type { Incident } from "../schemas/incident.ts";
import { withoutGeneratedEnd } from "../surroundings/service-names.ts";
import { type BufferedWrite, bufferedWrite, jsonBytes, MAX_WRITE_BYTES } from "../write-buffer.ts";
import type { ScrubbedReport } from "./incident-queue.ts";
import { incidentColumns } from "./run-records.ts";

/**
 * - `created`: it created an incident
 * - `deduplicated`: it is stored already
 * - `grouped`: it belongs to an open incident
 * - `resolved`: it ended
 */
export const ALERT_DECISIONS = ["created", "deduplicated", "grouped", "resolved"] as const;
export type AlertDecision = (typeof ALERT_DECISIONS)[number];

export interface AlertReport {
  /** The fields that an alert has besides those of its incident, which are scrubbed there. */
  readonly alert: Pick<
    Alert,
    | "source"
    | "fingerprint"
    | "startsAt"
    | "startReported"
    | "endsAt"
    | "status"
    | "endsLatest"
    | "newStartWhenReopened"
    | "alertname"
    | "namespace"
  >;
  /** Stored if the alert creates an incident. */
  readonly incident: Incident;
  readonly scrubbed: ScrubbedReport;
}

const ingestResultSchema = z.object({
  stored: z.number().int(),
  alerts: z.array(
    z
      .object({
        fingerprint: z.string(),
        status: z.enum(ALERT_STATUSES),
        decision: z.enum(ALERT_DECISIONS),
        rule: z.string(),
        incident_id: z.string().nullable(),
        related_to: z.string().nullable(),
      })
      .transform(({ incident_id, related_to, ...rest }) => ({
        ...rest,
        incidentId: incident_id,
        relatedTo: related_to,
      })),
  ),
  incidents: z.array(z.string()),
  postponed: z.number().int(),
});

/** The decision for each alert, in the order of the webhook, the ids of the created incidents, and the number of alerts that are not stored. */
export type IngestResult = z.infer<typeof ingestResultSchema>;

/** What the database stores of the alerts of one webhook. */
export function alertArguments({
  now,
  owner,
  windowSeconds,
  groupLabels,
  waitingLimit,
  reports,
}: {
  readonly now: Date;
  /** Whom the alerts belong to: the owner of the token, or the webhook whose signature the request had. */
  readonly owner: string;
  /** Alerts of one name and domain within this time belong to one incident. */
  readonly windowSeconds: number;
  /** Labels that say where: alerts of one incident have the same values. */
  readonly groupLabels: readonly string[];
  /** Incidents of their reporter that may wait. Alerts that would create more are postponed: not stored. */
  readonly waitingLimit: number;
  /** Alerts of one reporter. */
  readonly reports: readonly AlertReport[];
}) {
  const p = {
    now: now.toISOString(),
    owner,
    window_seconds: windowSeconds,
    group_labels: [...groupLabels],
    alerts: reports.map(({ alert, incident, scrubbed }) => ({
      ...incidentColumns(incident),
      guardrails: scrubbed,
      source: alert.source,
      fingerprint: alert.fingerprint,
      starts_at: alert.startsAt.toISOString(),
      start_reported: alert.startReported,
      ends_at: alert.endsAt?.toISOString() ?? null,
      status: alert.status,
      ends_latest: alert.endsLatest,
      new_start_when_reopened: alert.newStartWhenReopened,
      alertname: alert.alertname,
      namespace: alert.namespace,
      failure: namedFailure(incident.logs ?? ""),
      ...alertObject(incident),
    })),
  };
  return { p, p_limit: waitingLimit };
}

/**
 * Stores alerts, creates their incidents and ends resolved ones, in one transaction; may be repeated. @throws
 * DependencyError
 */
export async function recordAlerts(
  database: Database,
  args: FunctionArguments<"ingest_alerts_within">,
): Promise<IngestResult> {
  return database.call("ingest_alerts_within", args, ingestResultSchema, { retries: 1 });
}

const bufferedResultSchema = z.object({ incidents: z.array(z.string()) });

/** The same for alerts that waited in the buffer. @returns ids of the created incidents @throws DependencyError */
export async function recordBufferedAlerts(
  database: Database,
  args: FunctionArguments<"store_buffered_alerts">,
): Promise<readonly string[]> {
  return (await database.call("store_buffered_alerts", args, bufferedResultSchema, { retries: 1 })).incidents;
}

/** The alerts in as few writes as fit into queue messages. An alert that does not fit alone is in a write of its own. */
export function bufferedAlerts(
  { p }: Pick<ReturnType<typeof alertArguments>, "p">,
  at: Date,
): readonly BufferedWrite[] {
  const write = bufferedWrite("alerts", { at, subject: null, args: p });
  if (p.alerts.length <= 1 || jsonBytes(write) <= MAX_WRITE_BYTES) return [write];
  const middle = Math.ceil(p.alerts.length / 2);
  return [p.alerts.slice(0, middle), p.alerts.slice(middle)].flatMap((alerts) =>
    bufferedAlerts({ p: { ...p, alerts } }, at),
  );
}

/** By label. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ pod: "pod", nodename: "node", node: "node", host: "host", hostname: "host", instance: "instance" },
  ...{ container: "container", container_name: "container", cronjob: "job", job_name: "job" },
  ...{ persistentvolumeclaim: "volume", replicaset: "replica set" },
};
const SERVICES = [
  "service",
  "service_name",
  "app",
  "application",
  "deployment",
  "statefulset",
  "daemonset",
  "workload",
];
/** Prometheus adds this to an object's own label when the exporter has a label of that name. */
const RENAMED = "exported_";

/** Null where no label says it. */
export function alertObject({
  target,
  labels,
}: {
  readonly target: string | null;
  readonly labels: Readonly<Record<string, string>>;
}): { readonly object_kind: string | null; readonly service: string | null } {
  const own = withoutExporter(labels);
  const labelled = (name: string) => own[RENAMED + name] ?? own[name];
  const label = target === null ? undefined : Object.keys(KINDS).find((name) => labelled(name) === target);
  const service = SERVICES.map(labelled).find((value) => value !== undefined && value !== "");
  const ofPod = target !== null && label === "pod" ? withoutGeneratedEnd(target) : null;
  return { object_kind: label === undefined ? null : (KINDS[label] ?? null), service: service ?? ofPod };
}

/** The mechanism that a text names for certain and that is no mere symptom; null for none. Of several, the first by name. */
export function namedFailure(text: string): string | null {
  const certain = [...readMechanisms(text)].filter(([name, strength]) => strength === 1 && !isSymptom(name));
  return certain.map(([name]) => name).sort()[0] ?? null;
}
