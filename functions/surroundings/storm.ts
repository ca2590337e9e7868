// Alerts that fire at once and belong together, and where they began. Pure functions.

import { z } from "zod";
import { withoutExporter } from "../knowledge/domains/label-rules.ts";
import type { LiveEvidence } from "../schemas/live-evidence.ts";
import { HOST_LABELS } from "./comparable-labels.ts";
import { type Call, likelyOrigins, MIN_ORIGIN_PROBABILITY, type PlacedAlert } from "./origin.ts";
import { withoutGeneratedEnd } from "./service-names.ts";

const INSTANCE_LABELS = ["exported_pod", "pod"];
const SERVICE_LABELS = [
  ...["exported_service", "service", "service_name", "app", "application", "workload"],
  ...["deployment", "statefulset", "daemonset"],
];
const NAMESPACE_LABELS = ["exported_namespace", "namespace"];
/** Of metrics about calls: Tempo and OpenTelemetry, Istio, Linkerd. */
const CALL_LABELS = [
  ["client", "server"],
  ["source_workload", "destination_workload"],
  ["deployment", "dst_deployment"],
] as const;

/** Labels that say where an alert belongs; others are not read. The last are what an exporter is recognised by. */
export const STORM_LABELS: readonly string[] = [
  ...new Set([
    ...[...INSTANCE_LABELS, ...SERVICE_LABELS, ...NAMESPACE_LABELS, ...HOST_LABELS],
    ...[...CALL_LABELS.flat(), "job", "container", "endpoint"],
  ]),
];

export const stormAlertSchema = z.object({
  incident_id: z.string(),
  alertname: z.string(),
  starts_at: z.coerce.date(),
  labels: z.record(z.string(), z.string()),
});
export type StormAlert = z.infer<typeof stormAlertSchema>;

/** Of fewer, everybody sees which is first. */
const MIN_OBJECTS = 3;

/** Where the alerts that belong to this incident's began; null for a few objects, or where no object is likelier than all others. */
export function originOf(incidentId: string, storm: readonly StormAlert[]): LiveEvidence["origin"] {
  const alerts = connected(
    incidentId,
    storm.flatMap((alert) => placed(alert) ?? []),
  ).toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
  const [earliest] = alerts;
  const objects = new Set(alerts.map(({ level, object }) => `${level} ${object}`)).size;
  if (earliest === undefined || objects < MIN_OBJECTS) return null;
  const calls = alerts.flatMap(({ call }) => (call === undefined ? [] : [call]));
  const [first] = likelyOrigins(alerts, calls);
  if (first === undefined || first.probability < MIN_ORIGIN_PROBABILITY) return null;
  const { level, object, probability } = first;
  const naming = alerts.find((alert) => [alert.object, alert.host, alert.service].includes(object));
  return {
    level,
    object,
    probability: Math.round(probability * 100) / 100,
    incident_id: naming?.incidentId ?? incidentId,
    alerts: alerts.length,
    objects,
    since: earliest.startsAt.toISOString(),
  };
}

interface StormMember extends PlacedAlert {
  readonly incidentId: string;
  readonly call?: Call | undefined;
  /** Alerts that share one belong together. */
  readonly places: readonly string[];
}

/** Undefined for an alert that names no object. */
function placed({ incident_id, alertname, starts_at, labels }: StormAlert): StormMember | undefined {
  const own = withoutExporter(labels);
  const first = (names: readonly string[]) =>
    names.map((name) => own[name]).find((value) => value !== undefined && value !== "");
  const call = callOf(own);
  const instance = first(INSTANCE_LABELS);
  const host = first(HOST_LABELS)?.replace(/:\d+$/, "");
  // A failing call is one of the service that is called.
  const named = call?.[1] ?? first(SERVICE_LABELS);
  const service = named ?? (instance === undefined ? undefined : withoutGeneratedEnd(instance));
  const namespace = first(NAMESPACE_LABELS);
  const places = [
    ...(host === undefined ? [] : [`host ${host}`]),
    ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
    ...[service, ...(call ?? [])].flatMap((name) => (name === undefined ? [] : [`service ${name}`])),
  ];
  const alert = { name: alertname, startsAt: starts_at, incidentId: incident_id, call, places };
  if (instance !== undefined) return { ...alert, level: "instance", object: instance, host, service };
  if (service !== undefined) return { ...alert, level: "service", object: service };
  return host === undefined ? undefined : { ...alert, level: "host", object: host };
}

function callOf(labels: Readonly<Record<string, string>>): Call | undefined {
  for (const [caller, callee] of CALL_LABELS) {
    const [from, to] = [labels[caller], labels[callee]];
    if (from !== undefined && to !== undefined && from !== to) return [from, to];
  }
  return undefined;
}

/** The alerts of the incident, those that share a place with them, those that share one with these, and so on. */
function connected(incidentId: string, alerts: readonly StormMember[]): StormMember[] {
  const places = new Set(alerts.filter((alert) => alert.incidentId === incidentId).flatMap((alert) => alert.places));
  const members = new Set<StormMember>();
  for (let size = -1; size < members.size; ) {
    size = members.size;
    for (const alert of alerts) {
      if (members.has(alert) || !alert.places.some((place) => places.has(place))) continue;
      members.add(alert);
      for (const place of alert.places) places.add(place);
    }
  }
  return [...members];
}
