// The kind of the name behind a key: of a label, a field, a variable or a column. Pure functions.

import type { NameKind } from "./placeholder.ts";

const KEYS: Readonly<Record<NameKind, string>> = {
  account: "accountid accountnumber projectid subscriptionid tenantid awsaccount",
  address: "ip clientip podip hostip nodeip serverip remoteip",
  cluster: "cluster",
  database: "database db dbname datname keyspace",
  host:
    "host hostname instance server machine vm fqdn upstream peer broker endpoint backend remote addr address " +
    "nodename dst rhost computer",
  namespace: "namespace ns",
  node: "node",
  pod: "pod",
  resource: "bucket configmap ingress pvc persistentvolumeclaim queue topic vhost consumergroup resourcegroup",
  service:
    "service svc app application deployment deploy statefulset daemonset replicaset workload release job cronjob " +
    "container microservice target component partof",
  team: "team squad",
  user: "user username usename login owner author principal actor assignee role ruser serviceaccount email",
};

const KIND_OF_KEY: ReadonlyMap<string, NameKind> = new Map(
  Object.entries(KEYS).flatMap(([kind, keys]) => keys.split(" ").map((key) => [key, kind as NameKind] as const)),
);

/** Prometheus adds this to an object's own label. Other prefixes are words before the key: `kubernetes_pod_name`. */
const NAME_SUFFIX = "name";
const MAX_WORDS = 3;

/**
 * The kind that the last words of a key name: `exported_pod`, `podName`, `kubernetes_node`, `DB_USER`,
 * `app.kubernetes.io/name`; undefined for any other key.
 */
export function kindOfKey(key: string): NameKind | undefined {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (key.includes("kubernetes.io/") && /^(?:name|instance|component|part-of)$/.test(key.split("/").at(-1) ?? ""))
    return "service";
  const object = words.at(-1) === NAME_SUFFIX ? words.slice(0, -1) : words;
  // "out-of-service" names no service.
  if (object.at(-2) === "of") return undefined;
  for (let count = Math.min(MAX_WORDS, object.length); count > 0; count--) {
    const kind = KIND_OF_KEY.get(object.slice(-count).join(""));
    if (kind !== undefined) return kind;
  }
  return undefined;
}
