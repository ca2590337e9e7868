// Shipped runbooks that are right for a case of an evidence data set, though the case does not list them: they were written
// after the data set.

interface Equivalent {
  readonly runbooks: readonly string[];
  readonly reason: string;
}

/** By the id of the case. */
export const CASE_EQUIVALENTS: Readonly<Record<string, Equivalent>> = {
  inv03: { runbooks: ["kubernetes/cpu-throttling.md"], reason: "the alert is about CPU throttling at the limit" },
  inv06: { runbooks: ["kubernetes/job-failed-backoff-limit.md"], reason: "a Job reached its backoff limit" },
  inv07: { runbooks: ["kubernetes/job-failed-backoff-limit.md"], reason: "a Job failed after its retries" },
  inv09: { runbooks: ["application/high-latency.md"], reason: "requests to one endpoint take too long" },
  inv17: {
    runbooks: ["kubernetes/cluster-requests-overcommitted.md"],
    reason: "the runbook explains this very alert",
  },
  ask07: { runbooks: ["application/high-latency.md"], reason: "a service is slow because of its database calls" },
  ask38: { runbooks: ["rabbitmq/network-partition.md"], reason: "the status lists a network partition" },
};
