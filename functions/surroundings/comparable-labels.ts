// The labels of an incident by which other alerts are related to it. Pure functions.

export interface ComparableLabel {
  readonly name: string;
  readonly value: string;
  /** 3: one object. 2: a small area. 1: most alerts of an installation share it, so it relates none alone. */
  readonly weight: 1 | 2 | 3;
  /** Whether the value is the name of a machine, which is compared without a port. */
  readonly is_host: boolean;
}

/** A machine has another label in each exporter. */
export const HOST_LABELS = ["node", "nodename", "instance", "host", "hostname", "machine"];
const OBJECT_LABELS = [
  ...[
    "service",
    "service_name",
    "app",
    "application",
    "workload",
    "deployment",
    "statefulset",
    "daemonset",
    "replicaset",
  ],
  ...["cronjob", "job_name", "pod", "persistentvolumeclaim", "volume", "horizontalpodautoscaler", "ingress"],
  ...["database", "datname", "db", "queue", "topic", "consumergroup", "consumer_group", "upstream", "device_id"],
];
const AREA_LABELS = ["namespace", "zone", "availability_zone", "topology_zone", "rack", "datacenter"];
const WIDE_LABELS = ["cluster", "region", "job", "environment", "env", "team"];
/** A scrape adds this to an object's own label when the exporter has a label of that name. */
const RENAMED = "exported_";

/** The start of a run compares at most so many. */
const MAX_LABELS = 40;

/** @param labels without those of the exporter, which all its alerts share */
export function comparableLabels({
  target,
  labels,
}: {
  readonly target: string | null;
  readonly labels: Readonly<Record<string, string>>;
}): ComparableLabel[] {
  const entries = Object.entries(labels).filter(([, value]) => value !== "");
  const hosts = entries.filter(([name]) => HOST_LABELS.includes(name)).map(([, value]) => value.replace(/:.*/, ""));
  const compared: ComparableLabel[] = [
    ...(target === null ? [] : [{ name: "target", value: target, weight: 3 as const, is_host: false }]),
    ...[...new Set(hosts)].flatMap((value) =>
      HOST_LABELS.map((name) => ({ name, value, weight: 3 as const, is_host: true })),
    ),
    ...entries.flatMap(([name, value]) => {
      const weight = weightOf(name.startsWith(RENAMED) ? name.slice(RENAMED.length) : name);
      return weight === null ? [] : [{ name, value, weight, is_host: false }];
    }),
  ];
  return (
    compared
      // A marker stands for any redacted value.
      .filter(({ value }) => value !== "" && !value.includes("["))
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MAX_LABELS)
  );
}

function weightOf(name: string): 1 | 2 | 3 | null {
  if (OBJECT_LABELS.includes(name)) return 3;
  if (AREA_LABELS.includes(name)) return 2;
  return WIDE_LABELS.includes(name) ? 1 : null;
}
