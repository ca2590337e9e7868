// The labels of an alert that scope a query to it.

import { type Matcher, orMissing } from "./matchers.ts";

/** Where something runs. */
const PLACES = [
  ...["namespace", "pod", "node", "nodename", "host", "hostname"],
  ...["server", "instance", "job", "deployment", "statefulset", "daemonset", "replicaset", "cronjob", "job_name"],
  "horizontalpodautoscaler",
];
const SERVICES = ["service", "service_name", "app", "application"];
/** A part of what runs. A query that aggregates over the parts is not scoped by them. */
const PARTS = [
  ...["container", "persistentvolumeclaim", "volume", "device", "disk", "mountpoint", "interface", "ifname"],
  ...["datname", "database", "db", "schema", "table", "relname", "slot_name", "pool"],
  ...["topic", "partition", "consumergroup", "group", "queue", "vhost", "exchange", "upstream", "endpoint", "route"],
];
/** What a monitoring server adds to its alerts, but often not to its series. */
const ENVIRONMENTS = ["cluster", "region", "zone", "datacenter", "environment", "env"];

/** A monitored object. Beside it, `EXPORTERS` name the exporter that reports on it. */
const OBJECTS = [
  ...["pod", "node", "deployment", "statefulset", "daemonset", "replicaset", "cronjob", "job_name"],
  ...["horizontalpodautoscaler", "persistentvolumeclaim"],
];
const EXPORTERS = ["job", "service", "endpoint"];
/** Address of an exporter, with or without a port. A host name may be the monitored system itself. */
const IP_ADDRESS = /^(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[[0-9a-fA-F:]{2,39}\])(?::\d{1,5})?$/;

/** Names of labels that every language can write. Those with two underscores at the front are reserved. */
const PLAIN = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,127}$/;
/** Names that PromQL can write, some in quotes. Other characters are allowed there, and no instrumentation has them. */
export const QUOTABLE = /^(?!__)[\p{L}_][\p{L}\p{N}_.:/-]{0,127}$/u;

export interface AlertScope {
  /** For every selector. */
  readonly always: readonly Matcher[];
  /** For selectors whose result keeps the label. */
  readonly parts: readonly Matcher[];
}

export type ResolvedScope =
  | { readonly ok: true; readonly scope: AlertScope }
  /** One sentence. */
  | { readonly ok: false; readonly reason: string };

type Labels = Readonly<Record<string, string>>;

/**
 * @param match names of labels; null for the default, empty for no scope. A name that ends in `?` may be missing.
 * @param writable names that the language can write
 */
export function resolveScope(labels: Labels, match: readonly string[] | null, writable = PLAIN): ResolvedScope {
  if (match === null) return defaultScope(labels);
  const always = new Map<string, Matcher>();
  for (const entry of match) {
    const label = entry.endsWith("?") ? entry.slice(0, -1) : entry;
    const matcher = exact(labels, label, writable);
    if (matcher !== null) always.set(label, matcher);
    else if (label === entry) return { ok: false, reason: reasonFor(label, writable) };
  }
  if (match.length > 0 && always.size === 0) {
    const names = match.map((entry) => entry.replace(/\?$/, "")).join(", ");
    return { ok: false, reason: `The alert has none of the labels ${names}.` };
  }
  return { ok: true, scope: { always: [...always.values()], parts: [] } };
}

/**
 * Places are exact. Without any, the services are, then the parts, then the environments. Beside exact matchers, those of
 * services and environments accept series without the label: rules and external labels add them to alerts alone.
 */
function defaultScope(labels: Labels): ResolvedScope {
  const hasObject = OBJECTS.some((label) => exact(labels, label) !== null);
  const matchersOf = (names: readonly string[]) =>
    names.flatMap((label) => {
      const matcher = exact(labels, label);
      return matcher === null || (hasObject && isExporter(matcher)) ? [] : [matcher];
    });
  const [places, services, parts, environments] = [PLACES, SERVICES, PARTS, ENVIRONMENTS].map(matchersOf) as [
    Matcher[],
    Matcher[],
    Matcher[],
    Matcher[],
  ];
  const anchors = [places, services, parts, environments].find((tier) => tier.length > 0);
  if (anchors === undefined) {
    const reason = "The alert has no label that says where to look, such as namespace, pod, instance or job.";
    return { ok: false, reason };
  }
  const lenient = [services, environments]
    .filter((tier) => tier !== anchors)
    .flatMap((tier) => tier.map(({ label, value }) => orMissing(label, value ?? "")));
  return { ok: true, scope: { always: [...anchors, ...lenient], parts: parts === anchors ? [] : parts } };
}

function isExporter({ label, value }: Matcher): boolean {
  return EXPORTERS.includes(label) || (label === "instance" && IP_ADDRESS.test(value ?? ""));
}

/** Null without a value: an empty one would match the series of everything that lacks the label. */
function exact(labels: Labels, label: string, writable = PLAIN): Matcher | null {
  if (!writable.test(label) || !Object.hasOwn(labels, label)) return null;
  const value = labels[label];
  return value ? { label, operator: "=", value } : null;
}

function reasonFor(label: string, writable: RegExp): string {
  return writable.test(label)
    ? `The alert has no label \`${label}\`.`
    : `\`${label.slice(0, 80)}\` cannot scope a query: use letters, digits and underscores.`;
}
