// The names by which a change of a service is found for an incident, and where both apply. Both are stored and compared in
// one spelling. Pure functions.

type Labels = Readonly<Record<string, string>>;

/** Labels that name a service or its workload. A recommended label that ends in `name` is matched by APP_NAME. */
const SERVICE_LABELS = [
  ...["service", "service_name", "service.name", "app", "application", "component", "workload", "deployment"],
  ...["statefulset", "daemonset", "replicaset", "rollout", "cronjob", "job_name", "job", "container", "pod"],
  ...["instance", "host", "hostname", "nodename", "node"],
];
const APP_NAME = /^app[a-z0-9._/]{0,60}[._/]name$/;
/** A scrape adds this to an object's own label when the exporter has a label of that name. */
const RENAMED = "exported_";
/** Values of these end in characters that the platform adds. */
const GENERATED = new Set(["pod", "replicaset", "job_name", "target"]);

const MAX_NAMES = 24;
const MAX_NAME_LENGTH = 200;

/** The names of what an incident is about. @param labels without those of the exporter */
export function incidentNames({
  target,
  labels,
}: {
  readonly target: string | null;
  readonly labels: Labels;
}): string[] {
  const entries = [["target", target ?? ""] as const, ...Object.entries(labels)].map(
    ([label, value]) => [label.startsWith(RENAMED) ? label.slice(RENAMED.length) : label, value] as const,
  );
  return distinct(
    entries.flatMap(([label, value]) => {
      if (GENERATED.has(label)) return namesOf(value).flatMap((name) => [name, withoutGeneratedEnd(name)]);
      return isServiceLabel(label) ? namesOf(value) : [];
    }),
  );
}

/** The names of a changed service. @param aliases other names of it */
export function changeNames(service: string, labels: Labels, aliases: readonly string[] = []): string[] {
  const labelled = Object.entries(labels).flatMap(([label, value]) => (isServiceLabel(label) ? [value] : []));
  return distinct([service, ...aliases, ...labelled].flatMap(namesOf));
}

/** The names of a service that a caller asks for. */
export function searchedNames(service: string): string[] {
  return distinct(namesOf(service));
}

/**
 * Two scopes differ if they have one of these with different values. `tier` is a usual name of an environment, `environment`
 * any other: nobody knows whether `blue` is a part of production.
 */
export type ChangeScope = Readonly<Partial<Record<"tier" | "environment" | "namespace" | "cluster", string>>>;

const ENVIRONMENT_LABELS = [
  ...["environment", "env", "deployment_environment", "deployment.environment", "deployment.environment.name", "stage"],
];
/** The label of the object comes before that of its exporter. */
const NAMESPACE_LABELS = ["exported_namespace", "namespace"];
const CLUSTER_LABELS = ["cluster", "cluster_name"];

/** Where an alert or a change applies, as far as it is known. */
export function labelledScope(
  labels: Labels,
  own: { readonly environment?: string | null; readonly service?: string | null } = {},
): ChangeScope {
  const first = (names: readonly string[]) =>
    names.map((name) => spell(labels[name] ?? "")).find((value) => value !== "") ?? "";
  const environment = spell(own.environment ?? "") || first(ENVIRONMENT_LABELS);
  const tier = tierOf(environment);
  const scope = {
    ...(tier === undefined ? { environment } : { tier }),
    namespace: first(NAMESPACE_LABELS) || namespaceOf(own.service ?? ""),
    cluster: first(CLUSTER_LABELS),
  };
  return Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== ""));
}

const TIERS: Readonly<Record<string, readonly string[]>> = {
  // The first that matches: `pr-12-prod-data` and `preview production` are previews.
  preview: ["preview", "review", "pr"],
  production: ["production", "prod", "prd", "live"],
  staging: ["staging", "stage", "stg"],
  development: ["development", "dev"],
  test: ["test", "testing", "qa"],
};

/** `prod-eu` and `Production` are one environment: regions have labels of their own. */
function tierOf(environment: string): string | undefined {
  const words = new Set(environment.split(/[^a-z]/));
  return Object.entries(TIERS).find(([, spellings]) => spellings.some((word) => words.has(word)))?.[0];
}

function isServiceLabel(label: string): boolean {
  return SERVICE_LABELS.includes(label) || APP_NAME.test(label);
}

/** A package URL: `pkg:oci/checkout@sha256:1f2e?tag=1.2`. */
const PACKAGE = /^pkg:[a-z0-9.+-]{1,40}\//;
const SCHEME = /^[a-z][a-z0-9+.-]{0,20}:\/\//;
const ADDRESS = /^[0-9.]{7,15}$/;

/** `checkout`, also of `shop/checkout`, `registry/shop/checkout:1.2`, `http://checkout:8080/health` and `checkout.shop.svc`. */
function namesOf(value: string): string[] {
  const text = value.trim().toLowerCase();
  const path = text
    .replace(PACKAGE, "")
    .replace(SCHEME, "")
    .replace(/[?#].*/, "")
    .replace(/@[^@/]*$/, "");
  const parts = path.split("/").filter((part) => part !== "");
  const place = SCHEME.test(text) ? parts[0] : parts.at(-1);
  const name = spell((place ?? "").replace(/:.*/, ""));
  const [label = "", ...domain] = name.split(".");
  if (ADDRESS.test(name) || domain.length < 2) return [name];
  return domain[1] === "svc" ? [label] : [name, label];
}

/** Kinds before a name, as in `service/checkout`. */
const KINDS = new Set([
  ...["service", "services", "svc", "app", "apps", "application", "component", "workload", "deployment", "deploy"],
  ...["statefulset", "daemonset", "replicaset", "rollout", "cronjob", "job", "pod", "node"],
]);

/** Of `shop/checkout` and `checkout.shop.svc`. A longer path is an address of a repository. */
function namespaceOf(service: string): string {
  const name = spell(service);
  const [namespace, object, ...rest] = name.split("/");
  if (object !== undefined) {
    const isNamespace = rest.length === 0 && !name.includes(":") && !KINDS.has(namespace ?? "");
    return isNamespace ? (namespace ?? "") : "";
  }
  const parts = name.split(".");
  return parts[2] === "svc" ? (parts[1] ?? "") : "";
}

/** The random characters of pods and replica sets, the number of a stateful set's pod, the time of a cron job's run. */
const GENERATED_END =
  /-(?:[0-9bcdfghjklmnpqrstvwxz]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}|[bcdfghjklmnpqrstvwxz2456789]{5}|\d{1,3}|\d{7,12})$/;
const REPLICA_SET_END = /-(?=[a-z]{0,9}\d)[bcdfghjklmnpqrstvwxz2456789]{8,10}$/;

/** The name of the workload of a pod. */
export function withoutGeneratedEnd(name: string): string {
  return name.replace(GENERATED_END, "").replace(REPLICA_SET_END, "");
}

/** Lower case; blanks and underscores are hyphens. */
function spell(value: string): string {
  return value.trim().toLowerCase().replace(/[\s_]/g, "-").slice(0, MAX_NAME_LENGTH);
}

function distinct(names: readonly string[]): string[] {
  // A marker stands for any redacted name.
  return [...new Set(names)].filter((name) => name.length >= 2 && !name.includes("[")).slice(0, MAX_NAMES);
}
