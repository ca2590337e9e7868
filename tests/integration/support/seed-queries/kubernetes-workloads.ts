// Graded questions about Jobs, CPU limits, quotas, autoscaling and the control plane of Kubernetes.

import { type GradedQueries, labelled, plain } from "./seed-query.ts";

export const KUBERNETES_WORKLOAD_QUERIES: GradedQueries = {
  easy: [
    plain(
      "kubernetes/job-failed-backoff-limit",
      "KubeJobFailed: Job reporting/nightly-export-29112300, Job has reached the specified backoff limit",
    ),
    plain(
      "kubernetes/cpu-throttling",
      "CPUThrottlingHigh: 78% throttling of CPU in namespace shop for container basket",
    ),
    plain(
      "kubernetes/cluster-requests-overcommitted",
      "KubeCPUOvercommit: Cluster has overcommitted CPU resource requests for Pods by 6.2 CPU shares and cannot tolerate node failure",
    ),
    plain(
      "kubernetes/admission-webhook-failing",
      'Error from server (InternalError): failed calling webhook "validate.policy.example": failed to call webhook: no endpoints available for service "policy-webhook"',
    ),
    plain(
      "kubernetes/pod-sandbox-creation-failed",
      'FailedCreatePodSandBox: failed to setup network for sandbox: plugin type="calico" failed (add)',
    ),
    plain(
      "kubernetes/cluster-autoscaler-adds-no-node",
      "pod didn't trigger scale-up: 2 max node group size reached, cluster-autoscaler",
    ),
  ],
  medium: [
    labelled(
      "kubernetes/admission-webhook-failing",
      "nothing can be created in any namespace since the policy engine was uninstalled",
    ),
    labelled(
      "kubernetes/statefulset-daemonset-rollout-stuck",
      "the log agents stay at the old version on five of forty machines, the update goes no further",
    ),
    labelled(
      "kubernetes/api-server-slow-or-failing",
      "every kubectl command takes ten seconds, controllers lag behind, since the operator lists all secrets in a loop",
    ),
    labelled(
      "kubernetes/cronjob-not-running",
      "the nightly clean-up has a schedule, but no pod was created for it since Thursday",
    ),
    plain(
      "kubernetes/cluster-requests-overcommitted",
      "if we lose one k8s node the rest cannot hold what is requested, says the capacity alert",
    ),
    labelled(
      "kubernetes/job-failed-backoff-limit",
      "the nightly export pod was started seven times, each ended with an error, now nothing is started any more",
    ),
    labelled(
      "kubernetes/cpu-throttling",
      "latency has spikes though the container uses 0.4 of its one core on average, nr_throttled climbs",
    ),
    labelled(
      "kubernetes/cluster-autoscaler-adds-no-node",
      "pods wait for new machines, the node group does not get any larger",
    ),
    plain(
      "kubernetes/resource-quota-exceeded",
      "kubernetes namespace of team-b: must specify limits.memory, pods are rejected since the platform team set up rules",
    ),
  ],
  hard: [
    plain(
      "kubernetes/control-plane-certificate-expired",
      "a year to the day after the installation nobody can deploy, the shop itself still runs",
      "Unable to connect to the server: tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-02-14T08:00:11Z is after 2026-02-14T07:12:40Z",
    ),
    labelled(
      "kubernetes/pod-sandbox-creation-failed",
      "new pods of one machine stay in ContainerCreating, the old ones on it work",
      "failed to assign an IP address to container",
    ),
    plain(
      "kubernetes/job-failed-backoff-limit",
      "finance has no figures since Tuesday",
      "NAME                    COMPLETIONS   DURATION   AGE\nnightly-export-29112300   0/1           3d         3d\nWarning  BackoffLimitExceeded  3d  job-controller  Job has reached the specified backoff limit",
    ),
    plain(
      "kubernetes/cpu-throttling",
      "requests take 100 ms longer in steps, as if somebody held them back, machine half idle",
      "container_cpu_cfs_throttled_periods_total / container_cpu_cfs_periods_total = 0.64",
    ),
    plain(
      "kubernetes/cronjob-not-running",
      "yesterday's backup was not even tried",
      "Warning  FailedNeedsStart  cronjob-controller  Cannot determine if job needs to be started: too many missed start time (> 100). Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    ),
  ],
  misspelt: [
    plain("kubernetes/job-failed-backoff-limit", "k8s cronjob faild, backof limit exeeded"),
    plain("kubernetes/cpu-throttling", "kubernetes cpu throtling hihg"),
    plain("kubernetes/cluster-autoscaler-adds-no-node", "kubernetes cluster autoscaller does not scael up nodes"),
  ],
  codes: [
    plain("kubernetes/job-failed-backoff-limit", "BackoffLimitExceeded"),
    plain("kubernetes/cpu-throttling", "CPUThrottlingHigh"),
    labelled("kubernetes/cluster-autoscaler-adds-no-node", "NotTriggerScaleUp"),
    plain("kubernetes/pod-sandbox-creation-failed", "FailedCreatePodSandBox"),
    plain("kubernetes/api-server-slow-or-failing", "KubeAPIErrorBudgetBurn"),
    plain("kubernetes/cronjob-not-running", "FailedNeedsStart"),
    plain("kubernetes/cluster-requests-overcommitted", "KubeMemoryOvercommit"),
  ],
  "in passing": [
    plain(
      "kubernetes/job-failed-backoff-limit",
      "our migration job in kubernetes has been red since the release and helm waits for it, can I just delete it and try again?",
    ),
    plain(
      "kubernetes/cpu-throttling",
      "someone put tiny cpu limits on all our k8s deployments and since then the java ones take minutes to boot, could that be it?",
    ),
    plain(
      "kubernetes/cronjob-not-running",
      "who paused the invoice cronjob in k8s? last run was a week ago and there is not even a failed pod to look at",
    ),
    plain(
      "kubernetes/cluster-autoscaler-adds-no-node",
      "our cluster in the cloud used to add machines by itself, today forty pods just sit there pending and no new node shows up",
    ),
    plain(
      "kubernetes/hpa-not-scaling",
      "black friday test: traffic times five, kubernetes stays at three replicas although we have an autoscaler on it",
    ),
  ],
  trap: [
    labelled(
      "kubernetes/cpu-throttling",
      "docker stats shows the container at exactly 100 % of its CPU allowance, host has 20 idle cores",
    ),
    labelled(
      "kubernetes/job-failed-backoff-limit",
      "CI pipeline of the release hangs at the pre-upgrade hook, migration exits with 1",
    ),
    labelled(
      "kubernetes/job-failed-backoff-limit",
      "container exits with code 1 and is not restarted any more, restart policy Never, retries used up",
    ),
  ],
};
