// Owns which domain the labels speak for that Prometheus and its exporters put on every alert. Pure.

import type { DomainName } from "../../schemas/domain.ts";

export interface LabelRule {
  readonly name: DomainName;
  /** The labels that decided, in words that can be shown to a person. */
  readonly rule: string;
}

type Labels = Readonly<Record<string, string>>;

const POSTGRES_JOB = /postgres|(?:^|[^a-z])pg(?:bouncer)?(?:[^a-z]|$)/i;
const PODMAN_JOB = /podman/i;
/** What watches a cluster itself. */
const CLUSTER_JOB = /^(?:kube-[a-z-]+|kubelet|apiserver|coredns)$/;
/** Beside a namespace they are objects of a cluster; alone they may be anybody's words. */
const CLUSTER_OBJECTS = [
  ...["deployment", "statefulset", "daemonset", "replicaset", "cronjob", "job_name", "horizontalpodautoscaler"],
  ...["persistentvolumeclaim", "poddisruptionbudget", "container"],
];

/** A database inside a pod is a database incident, so its labels come first. */
export function prometheusDomain(labels: Labels): LabelRule | undefined {
  const { datname, job, pod, namespace } = labels;
  if (datname) return { name: "postgres", rule: "label datname" };
  if (job && POSTGRES_JOB.test(job)) return { name: "postgres", rule: `label job=${short(job)}` };
  if (job && PODMAN_JOB.test(job)) return { name: "podman", rule: `label job=${short(job)}` };
  if (pod) return { name: "kubernetes", rule: "label pod" };
  const object = CLUSTER_OBJECTS.find((name) => labels[name]);
  if (namespace && object !== undefined) return { name: "kubernetes", rule: `labels namespace and ${object}` };
  if (job && CLUSTER_JOB.test(job)) return { name: "kubernetes", rule: `label job=${short(job)}` };
  return undefined;
}

/** By characters: half a surrogate pair could not be stored. */
function short(value: string): string {
  return [...value].slice(0, 60).join("");
}
