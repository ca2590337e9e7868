// Chooses a domain by the labels that Prometheus and its exporters add to alerts. Pure functions.

import type { DomainName } from "../../schemas/domain.ts";

export interface LabelRule {
  readonly name: DomainName;
  /** The labels that decided, for display. */
  readonly rule: string;
}

type Labels = Readonly<Record<string, string>>;

const POSTGRES_JOB = /postgres|(?:^|[^a-z])pg(?:bouncer)?(?:[^a-z]|$)/i;
const PODMAN_JOB = /podman/i;
/** Jobs that monitor the cluster itself. */
const CLUSTER_JOB = /^(?:kube-[a-z-]+|kubelet|apiserver|coredns)$/;
/** Labels that name a cluster object when the label `namespace` is present; without it they are ambiguous. */
const CLUSTER_OBJECTS = [
  ...["deployment", "statefulset", "daemonset", "replicaset", "cronjob", "job_name", "horizontalpodautoscaler"],
  ...["persistentvolumeclaim", "poddisruptionbudget", "container"],
];

/** Labels of a database take precedence: a database inside a pod is a database incident. */
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

/** Cuts by code points: Postgres cannot store half a surrogate pair. */
function short(value: string): string {
  return [...value].slice(0, 60).join("");
}
