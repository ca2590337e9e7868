// The object of a cluster that an alert is about, by its labels. Pure functions.

import { isNamespaceName, isObjectName } from "../../../lib/checks/k8s/cluster-names.ts";
import { type Labels, withoutExporter } from "../../knowledge/domains/label-rules.ts";

export interface ObjectTarget {
  /** Plural name, such as "pods". */
  readonly resource: string;
  readonly kind: string;
  /** Null for a node. */
  readonly namespace: string | null;
  readonly name: string;
  /** Whether the namespace may be that of an exporter: then "no such object" means nothing. */
  readonly isUncertain: boolean;
  /** Name of the container that the alert is about; null if it does not say. */
  readonly container: string | null;
}

/** Prometheus adds this to an object's own label when the scrape has a label of that name. */
const RENAMED = "exported_";
/** Labels that the discovery of targets sets. Beside a renamed label they are about the exporter. */
const DISCOVERED = new Set(["container", "namespace", "node", "pod"]);
/** Prefixes and suffixes that agents add: `k8s_pod_name`, `kube_deployment`. */
const DECORATION = /^(?:k8s_|kubernetes_|kube_)|_name$/g;

/** By its label, the most specific object first. */
const KINDS: readonly (readonly [label: string, resource: string, kind: string])[] = [
  ["persistentvolumeclaim", "persistentvolumeclaims", "PersistentVolumeClaim"],
  ["pod", "pods", "Pod"],
  ["job", "jobs", "Job"],
  ["cronjob", "cronjobs", "CronJob"],
  ["statefulset", "statefulsets", "StatefulSet"],
  ["daemonset", "daemonsets", "DaemonSet"],
  ["deployment", "deployments", "Deployment"],
  ["replicaset", "replicasets", "ReplicaSet"],
  ["horizontalpodautoscaler", "horizontalpodautoscalers", "HorizontalPodAutoscaler"],
  ["node", "nodes", "Node"],
];
const OUTSIDE_NAMESPACES = new Set(["nodes"]);

/** Null for an alert that names no object of a cluster. */
export function objectTargetOf(labels: Labels): ObjectTarget | null {
  const own = objectLabels(labels);
  const namespace = own.get("namespace") ?? null;
  const container = own.get("container") ?? null;
  const workload = own.get("workload");
  const type = own.get("workload_type")?.toLowerCase();
  if (workload !== undefined && type !== undefined && !own.has(type)) own.set(type, workload);
  for (const [label, resource, kind] of KINDS) {
    const name = own.get(label);
    if (name === undefined || !isObjectName(name)) continue;
    const target = { resource, kind, name, container };
    if (OUTSIDE_NAMESPACES.has(resource)) return { ...target, namespace: null, isUncertain: false };
    if (namespace === null || !isNamespaceName(namespace)) continue;
    return { ...target, namespace, isUncertain: isNamespaceUncertain(labels) };
  }
  return null;
}

/** Labels about the object, by their names without decoration. A scrape's own labels are left out where they are about the exporter. */
function objectLabels(labels: Labels): Map<string, string> {
  const entries = Object.entries(withoutExporter(labels)).filter(([, value]) => value !== "");
  const hasRenamed = entries.some(([name]) => name.startsWith(RENAMED));
  const plain = entries.filter(([name]) => !name.startsWith(RENAMED));
  const renamed = entries.flatMap(([name, value]): [string, string][] =>
    name.startsWith(RENAMED) ? [[name.slice(RENAMED.length), value]] : [],
  );
  const own = new Map<string, string>();
  // `job` is the name of a scrape configuration.
  for (const [name, value] of plain.filter(([name]) => name !== "job" && !(hasRenamed && DISCOVERED.has(name)))) {
    const short = name.toLowerCase().replace(/[.-]/g, "_").replace(DECORATION, "");
    if (!own.has(short) || short === name) own.set(short, value);
  }
  for (const [name, value] of renamed.filter(([name]) => name !== "job")) own.set(name, value);
  return own;
}

function isNamespaceUncertain(labels: Labels): boolean {
  const isPodOfExporter = labels.pod !== undefined && withoutExporter(labels).pod === undefined;
  return isPodOfExporter && labels[`${RENAMED}namespace`] === undefined;
}
