// The target of an alert, taken from its labels as Prometheus names them. Pure functions.

import type { DomainName } from "../../schemas/domain.ts";

type Labels = Readonly<Record<string, string>>;

/** From the narrowest object to the widest. */
const OBJECTS = [
  ...["target", "pod", "deployment", "statefulset", "daemonset", "replicaset", "cronjob", "job_name"],
  ...["horizontalpodautoscaler", "persistentvolumeclaim", "poddisruptionbudget", "node"],
  ...["container", "container_name", "name", "service", "instance", "host", "hostname", "job"],
];
const DATABASES = ["target", "server", "datname", "instance", "host", "hostname", "service", "pod", "job"];
const HOSTS = ["target", "nodename", "node", "instance", "host", "hostname", "job"];

/** The labels pod, container and service of such a job name the exporter, not the object that it watches. */
const EXPORTER = /(?:^|[-_])exporter\b/i;

/** The affected service, host or object; null when no label names one. */
export function targetOf(labels: Labels, domain: DomainName | undefined): string | null {
  const names = domain === "postgres" ? DATABASES : EXPORTER.test(labels.job ?? "") ? HOSTS : OBJECTS;
  const name = names.find((label) => (labels[label] ?? "").trim() !== "");
  return name === undefined ? null : (labels[name] ?? "").trim();
}
