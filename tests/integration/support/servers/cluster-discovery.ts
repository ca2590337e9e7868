// The API of the stand-in for a cluster: its groups and resources, as discovery of a Kubernetes API server lists them.

export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  readonly namespaced: boolean;
  /** Fields that a field selector may name, besides name and namespace. */
  readonly fields?: readonly string[];
}

const POD_FIELDS = [
  ...["spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork"],
  ...["status.phase", "status.podIP", "status.nominatedNodeName"],
];
const EVENT_FIELDS = [
  ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
    (name) => `involvedObject.${name}`,
  ),
  ...["reason", "reportingComponent", "source", "type"],
];

/** Of a server of version 1.31. */
export const SERVED: readonly ServedResource[] = [
  served("", "v1", "pods", "Pod", { shortNames: ["po"], fields: POD_FIELDS }),
  served("", "v1", "services", "Service", { shortNames: ["svc"] }),
  served("", "v1", "events", "Event", { shortNames: ["ev"], fields: EVENT_FIELDS }),
  served("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", { shortNames: ["pvc"] }),
  served("", "v1", "configmaps", "ConfigMap", { shortNames: ["cm"] }),
  served("", "v1", "secrets", "Secret", { fields: ["type"] }),
  served("", "v1", "nodes", "Node", { shortNames: ["no"], namespaced: false, fields: ["spec.unschedulable"] }),
  served("", "v1", "namespaces", "Namespace", { shortNames: ["ns"], namespaced: false, fields: ["status.phase"] }),
  served("apps", "v1", "deployments", "Deployment", { shortNames: ["deploy"] }),
  served("apps", "v1", "statefulsets", "StatefulSet", { shortNames: ["sts"] }),
  served("apps", "v1", "daemonsets", "DaemonSet", { shortNames: ["ds"] }),
  served("apps", "v1", "replicasets", "ReplicaSet", { shortNames: ["rs"] }),
  served("batch", "v1", "jobs", "Job", { fields: ["status.successful"] }),
  served("batch", "v1", "cronjobs", "CronJob", { shortNames: ["cj"] }),
  served("networking.k8s.io", "v1", "ingresses", "Ingress", { singularName: "ingress", shortNames: ["ing"] }),
  served("coordination.k8s.io", "v1", "leases", "Lease", {}),
  served("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", {
    shortNames: ["crd", "crds"],
    namespaced: false,
  }),
  served("apiregistration.k8s.io", "v1", "apiservices", "APIService", { namespaced: false }),
  served("cert-manager.io", "v1", "certificates", "Certificate", { shortNames: ["cert", "certs"] }),
];

function served(
  group: string,
  version: string,
  name: string,
  kind: string,
  rest: Partial<ServedResource>,
): ServedResource {
  return { group, version, name, kind, singularName: kind.toLowerCase(), namespaced: true, ...rest };
}

/** The document of a discovery path, such as ["apis", "apps"]; undefined for another path. */
export function discoveryDocument(path: readonly string[], resources: readonly ServedResource[]): object | undefined {
  const groups = [...new Set(resources.map(({ group }) => group))].filter((group) => group !== "");
  const [root, group, version, ...rest] = path;
  if (rest.length > 0) return undefined;
  if (root === "version") {
    const build = {
      gitCommit: "9edcffcde5595e8a5b1a35f88c421764e575afce",
      gitTreeState: "clean",
      platform: "linux/amd64",
    };
    return { major: "1", minor: "31", gitVersion: "v1.31.0", ...build };
  }
  if (root === "api" && group === undefined)
    return {
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "10.0.0.1:443" }],
    };
  if (root === "api") return version === undefined ? resourceList("", group ?? "", resources) : undefined;
  if (root !== "apis") return undefined;
  if (group === undefined)
    return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((name) => groupOf(name, resources)) };
  if (!groups.includes(group)) return undefined;
  return version === undefined
    ? { kind: "APIGroup", apiVersion: "v1", ...groupOf(group, resources) }
    : resourceList(group, version, resources);
}

function groupOf(name: string, resources: readonly ServedResource[]) {
  const versions = [...new Set(resources.filter(({ group }) => group === name).map(({ version }) => version))].map(
    (version) => ({ groupVersion: `${name}/${version}`, version }),
  );
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(group: string, version: string, resources: readonly ServedResource[]): object | undefined {
  const matching = resources.filter((resource) => resource.group === group && resource.version === version);
  if (matching.length === 0) return undefined;
  const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: matching.flatMap(({ name, singularName, kind, shortNames, namespaced }) => [
      { name, singularName, namespaced, kind, verbs, ...(shortNames ? { shortNames } : {}) },
      ...(name === "pods"
        ? [
            { name: "pods/exec", singularName: "", namespaced, kind: "PodExecOptions", verbs: ["create", "get"] },
            { name: "pods/log", singularName: "", namespaced, kind: "Pod", verbs: ["get"] },
          ]
        : []),
      ...(["deployments", "statefulsets", "nodes"].includes(name)
        ? [{ name: `${name}/status`, singularName: "", namespaced, kind, verbs: ["get", "patch", "update"] }]
        : []),
    ]),
  };
}
