// The target of an alert, taken from its labels as Prometheus names them. Pure functions.

import { type DomainCatalog, definitionOf } from "../../knowledge/domains/domain-catalog.ts";
import { type Labels, withoutExporter } from "../../knowledge/domains/label-rules.ts";
import { labelledDomain } from "../../knowledge/domains/route-domain.ts";

/** Finds the affected service, host or object of an alert; null when no label names one. */
export type TargetOf = (labels: Labels) => string | null;

/** From the narrowest object to the widest. */
const OBJECTS = [
  ...["target", "pod", "pod_name", "deployment", "statefulset", "daemonset", "replicaset", "cronjob", "job_name"],
  ...["horizontalpodautoscaler", "persistentvolumeclaim", "poddisruptionbudget", "nodename", "node"],
  ...["container", "container_name", "name", "service", "service_name", "function_name", "cloud_RoleName"],
  ...["database_id", "subscription_id", "instance", "host", "hostname", "job", "app"],
];

/** Prometheus adds this to an object's own label when the exporter has a label of that name. */
const RENAMED = "exported_";

/** The labels that the domain of the alert names come first. Labels that name the exporter itself do not count. */
export function createTargetOf(catalog: DomainCatalog): TargetOf {
  return (labels) => {
    const domain = labelledDomain(catalog, labels)?.name;
    const ownLabels = domain === undefined ? [] : definitionOf(catalog, domain).target_labels;
    const objects = withoutExporter(labels);
    const values = [...ownLabels, ...OBJECTS].map((name) => (objects[RENAMED + name] ?? objects[name] ?? "").trim());
    return values.find((value) => value !== "") ?? null;
  };
}
