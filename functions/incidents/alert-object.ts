// What the target of an alert is, and the service that it belongs to, so that a group says what its alerts share. A pure function.

import { withoutExporter } from "../knowledge/domains/label-rules.ts";
import { withoutGeneratedEnd } from "../surroundings/service-names.ts";

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
