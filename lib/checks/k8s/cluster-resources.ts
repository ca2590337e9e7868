// Resources of a cluster that every API server has: their names, and where they are.

export interface ClusterResource {
  readonly plural: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
}

type Row = readonly [plural: string, kind: string, ...shortNames: string[]];

const resourcesOf = (group: string, version: string, namespaced: boolean, rows: readonly Row[]): ClusterResource[] =>
  rows.map(([plural, kind, ...shortNames]) => ({ plural, kind, shortNames, group, version, namespaced }));

/** The groups are stable ones that no supported version lacks. Other resources are looked up by discovery. */
const CLUSTER_RESOURCES: readonly ClusterResource[] = [
  ...resourcesOf("", "v1", true, [
    ["pods", "Pod", "po"],
    ["services", "Service", "svc"],
    ["endpoints", "Endpoints", "ep"],
    ["events", "Event", "ev"],
    ["persistentvolumeclaims", "PersistentVolumeClaim", "pvc"],
    ["configmaps", "ConfigMap", "cm"],
    ["replicationcontrollers", "ReplicationController", "rc"],
    ["resourcequotas", "ResourceQuota", "quota"],
    ["limitranges", "LimitRange", "limits"],
    ["serviceaccounts", "ServiceAccount", "sa"],
  ]),
  ...resourcesOf("", "v1", false, [
    ["nodes", "Node", "no"],
    ["namespaces", "Namespace", "ns"],
    ["persistentvolumes", "PersistentVolume", "pv"],
  ]),
  ...resourcesOf("apps", "v1", true, [
    ["deployments", "Deployment", "deploy"],
    ["statefulsets", "StatefulSet", "sts"],
    ["daemonsets", "DaemonSet", "ds"],
    ["replicasets", "ReplicaSet", "rs"],
  ]),
  ...resourcesOf("batch", "v1", true, [
    ["jobs", "Job"],
    ["cronjobs", "CronJob", "cj"],
  ]),
  ...resourcesOf("autoscaling", "v2", true, [["horizontalpodautoscalers", "HorizontalPodAutoscaler", "hpa"]]),
  ...resourcesOf("policy", "v1", true, [["poddisruptionbudgets", "PodDisruptionBudget", "pdb"]]),
  ...resourcesOf("networking.k8s.io", "v1", true, [
    ["ingresses", "Ingress", "ing"],
    ["networkpolicies", "NetworkPolicy", "netpol"],
  ]),
  ...resourcesOf("discovery.k8s.io", "v1", true, [["endpointslices", "EndpointSlice"]]),
  ...resourcesOf("coordination.k8s.io", "v1", true, [["leases", "Lease"]]),
  ...resourcesOf("storage.k8s.io", "v1", false, [
    ["storageclasses", "StorageClass", "sc"],
    ["volumeattachments", "VolumeAttachment"],
    ["csinodes", "CSINode"],
  ]),
  ...resourcesOf("scheduling.k8s.io", "v1", false, [["priorityclasses", "PriorityClass", "pc"]]),
  ...resourcesOf("apiextensions.k8s.io", "v1", false, [
    ["customresourcedefinitions", "CustomResourceDefinition", "crd", "crds"],
  ]),
  ...resourcesOf("apiregistration.k8s.io", "v1", false, [["apiservices", "APIService"]]),
];

/** By plural, singular, short name or kind, in any case, with or without its group. Undefined for any other resource. */
export function findClusterResource(text: string): ClusterResource | undefined {
  const { name, group } = splitResource(text.toLowerCase());
  return CLUSTER_RESOURCES.find(
    (resource) =>
      (group === "" || group === resource.group) &&
      (resource.plural === name || resource.kind.toLowerCase() === name || resource.shortNames.includes(name)),
  );
}

/** "deployments.apps" as "deployments" and "apps"; the group is empty without a dot. */
export function splitResource(text: string): { readonly name: string; readonly group: string } {
  const dot = text.indexOf(".");
  return dot === -1 ? { name: text, group: "" } : { name: text.slice(0, dot), group: text.slice(dot + 1) };
}

/** Whether a resource holds secrets as its content. No part of Dejavu reads it, whichever group it is of. */
export function isSecretResource(text: string): boolean {
  return /^secrets?$/.test(splitResource(text.toLowerCase()).name);
}
