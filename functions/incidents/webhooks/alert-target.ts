// Owns what a Prometheus alert is about, told from its labels. Pure.

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

/** Its pod, container and service are the exporter's own, and not what is in trouble. */
const EXPORTER = /(?:^|[-_])exporter\b/i;

/** The service, host or object that is affected; null where no label says. */
export function targetOf(labels: Labels, domain: DomainName | undefined): string | null {
  const names = domain === "postgres" ? DATABASES : EXPORTER.test(labels.job ?? "") ? HOSTS : OBJECTS;
  const name = names.find((label) => (labels[label] ?? "").trim() !== "");
  return name === undefined ? null : (labels[name] ?? "").trim();
}
