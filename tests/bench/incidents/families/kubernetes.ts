// Failure modes of Kubernetes clusters for the incident families.

import type { FailureMode } from "./failure-mode.ts";

export const KUBERNETES_FAILURES: readonly FailureMode[] = [
  {
    name: "memory-leak",
    runbook: "kubernetes/container-oomkilled-exit-137.md",
    reports: [
      "{service} OOMKilled, exit code 137",
      "KubeContainerOOM {service}: working set climbs for hours, then the pod is killed",
      "memory of {service} looks like a saw blade [in grafana|], killed every {n}h",
      "{service} pods restart without a trace",
      "{service} leaks {mb} MB an hour regardless of traffic until the kernel steps in",
    ],
    logs: [
      "Last State: Terminated Reason: OOMKilled Exit Code: 137\nINFO rss {mb}MiB uptime {n}h",
      "kernel: Memory cgroup out of memory: Killed process {pid} (node) anon-rss:{big}kB\nWARN listeners leak detected",
    ],
    fixes: [
      "Memory leak in the session cache, fixed in {version}",
      "Heap dumps showed a growing listener list; patched the leak",
    ],
    lookAlikes: [
      {
        report: "{service} OOMKilled with exit code 137 at each big export",
        log: "Last State: Terminated Reason: OOMKilled\nINFO export of {big} rows loaded into memory",
        fix: "One oversized request: the export streams its rows now",
      },
      {
        report: "{service} exit code 137 again, {n} restarts",
        log: "Liveness probe failed: context deadline exceeded\nKilling: Container {service} failed liveness probe, will be restarted",
        fix: "Not memory: the liveness probe was too strict; raised timeoutSeconds",
      },
    ],
  },
  {
    name: "missing-config",
    runbook: "kubernetes/crash-loop-back-off.md",
    reports: [
      "{service} pod in CrashLoopBackOff",
      "KubePodCrashLooping {service}-{id} ({n} restarts / 10m)",
      "{service} crashes at boot, env variable not set [since the helm upgrade|]",
      "{service} does not come up in {ns}",
      "release {version} of {service} needs a key nobody put into the configmap",
    ],
    logs: [
      "KeyError: 'FEATURE_FLAGS_URL'\nBack-off restarting failed container {service}",
      "FATAL config: FEATURE_FLAGS_URL must be set\nLast State: Terminated Reason: Error Exit Code: 1",
    ],
    fixes: [
      "Added the missing variable to the ConfigMap",
      "Config was not shipped with the release; chart carries the key now",
    ],
    lookAlikes: [
      {
        report: "{service} pod in CrashLoopBackOff since the database maintenance",
        log: "dial tcp 10.4.0.12:5432: connect: connection refused\nBack-off restarting failed container {service}",
        fix: "It exits when the database is gone; retries with back-off now",
      },
      {
        report: "KubePodCrashLooping {service} in {ns} after the release",
        log: 'Init:CrashLoopBackOff\nmigrate: relation "orders" already exists',
        fix: "The init container's migration was not idempotent; corrected it",
      },
    ],
  },
  {
    name: "pull-secret",
    runbook: "kubernetes/image-pull-failure.md",
    reports: [
      "{service} ImagePullBackOff",
      "ErrImagePull {service}: 401 from the registry in namespace {ns}",
      "pods of {service} can't fetch their image, credentials expired",
      "{service} stuck at 0/1 in the new namespace",
      "registry token of {ns} was rotated and the pull secret of {service} still has the old one",
    ],
    logs: [
      'Failed to pull image "registry.corp/{service}:{version}": 401 Unauthorized\nWarning FailedToRetrieveImagePullSecret',
      "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope",
    ],
    fixes: [
      "Renewed the imagePullSecret in the namespace",
      "Created the registry secret; it is synced to every namespace now",
    ],
    lookAlikes: [
      {
        report: "{service} ImagePullBackOff while many nodes start",
        log: "Failed to pull image: 429 Too Many Requests - toomanyrequests: unauthenticated pull rate limit",
        fix: "Docker Hub rate limit; pulls go through the mirror",
      },
      {
        report: "{service} ErrImagePull on the arm nodes",
        log: "Failed to pull image: no match for platform in manifest: not found",
        fix: "Image lacked arm64; nodeSelector until the multi-arch build",
      },
    ],
  },
  {
    name: "coredns-overloaded",
    runbook: "kubernetes/cluster-dns-failure.md",
    reports: [
      "cluster DNS failing, CoreDNS at 100% CPU",
      "CoreDNSLatencyHigh: p99 {n}s, lookups of {service} time out",
      "name resolution in the cluster is slow since traffic doubled ({service} and others)",
      "{service} throws timeouts on all downstream calls",
      "two coredns pods can't carry {n}k queries per second any more",
    ],
    logs: [
      "lookup payments.{ns}.svc.cluster.local: i/o timeout\nWARN coredns_dns_request_duration_seconds p99={n}",
      "dial tcp: lookup ledger: server misbehaving\ncoredns cpu throttled {pct}%",
    ],
    fixes: ["Scaled CoreDNS to 6 replicas and added NodeLocal DNSCache", "More coredns replicas with the autoscaler"],
    lookAlikes: [
      {
        report: "cluster DNS slow for outside names in {service}",
        log: "NXDOMAIN api.stripe.com.{ns}.svc.cluster.local\nNXDOMAIN api.stripe.com.svc.cluster.local",
        fix: "ndots:5 tried every search domain; trailing dot and ndots 2",
      },
      {
        report: "lookups of {service} time out in {ns} since the network policies",
        log: "lookup payments: i/o timeout\nWARN default-deny egress in {ns}",
        fix: "NetworkPolicy lacked DNS; allowed port 53 to kube-system",
      },
    ],
  },
  {
    name: "insufficient-cpu",
    runbook: "kubernetes/pod-pending-failed-scheduling.md",
    reports: [
      "{service} pod pending, FailedScheduling",
      "0/{n} nodes are available: insufficient cpu ({service})",
      "KubePodNotReady: {service} waits for a node for {n} minutes, cluster is full",
      "new replicas of {service} don't start",
      "no room left in the pool for {service}, requests add up to {pct}%",
    ],
    logs: [
      "Warning FailedScheduling 0/{n} nodes are available: {n} Insufficient cpu.\npreemption: No preemption victims found for incoming pod.",
      "default-scheduler: 0/{n} nodes are available: Insufficient cpu, Insufficient memory\nNormal NotTriggerScaleUp max node group size reached",
    ],
    fixes: ["Raised the maximum of the node group", "Added {n} nodes; pool maximum was reached"],
    lookAlikes: [
      {
        report: "{service} pod pending, FailedScheduling on the gpu pool",
        log: "0/{n} nodes are available: {n} node(s) had untolerated taint {nvidia.com/gpu: present}",
        fix: "Toleration was missing; added to the chart",
      },
      {
        report: "{service} replicas pending though nodes have room",
        log: "0/{n} nodes are available: {n} node(s) didn't match pod anti-affinity rules",
        fix: "Required anti-affinity with more replicas than nodes; made it preferred",
      },
    ],
  },
  {
    name: "slow-start-probe",
    runbook: "kubernetes/probe-failure.md",
    reports: [
      "liveness probe of {service} failed, container restarted",
      "{service} is killed before it has booted, {n} restarts",
      "Unhealthy: {service} in {ns} never gets past its warm-up",
      "{service} flaps since its start takes longer",
      "kubelet shoots {service} at {n}s each time, cache warm-up needs twice that",
    ],
    logs: [
      'Liveness probe failed: Get "http://10.2.3.4:8080/healthz": connect: connection refused\nContainer {service} failed liveness probe, will be restarted\nINFO loading model {pct}%',
      "Killing: Container {service} failed liveness probe\nINFO starting up, step {n} of 20",
    ],
    fixes: ["Added a startupProbe with failureThreshold 30", "startupProbe covers the slow boot now"],
    lookAlikes: [
      {
        report: "liveness probe of {service} failed on all replicas at once",
        log: "Liveness probe failed: HTTP probe failed with statuscode: 503\nWARN healthz: redis unreachable",
        fix: "Liveness checked redis; dependencies taken out of it",
      },
      {
        report: "readiness of {service} fails since {version}",
        log: "Readiness probe failed: HTTP probe failed with statuscode: 404",
        fix: "The path had moved to /ready; corrected the probe",
      },
    ],
  },
  {
    name: "log-disk-eviction",
    runbook: "kubernetes/pod-evicted-node-pressure.md",
    reports: [
      "{service} evicted, ephemeral-storage",
      "DiskPressure on {host}, pods evicted ({service} uses most)",
      "KubeNodeEviction {host}: temp files of {service} filled the node",
      "{service} pods in state Error, new ones elsewhere",
      "{service} writes its own log files into the container until the kubelet throws it out",
    ],
    logs: [
      "The node was low on resource: ephemeral-storage. Container {service} was using {big}Ki, request is 0",
      "Pod ephemeral local storage usage exceeds the total limit of containers {n}Gi\nWARN /tmp/spool {big}K",
    ],
    fixes: ["Logs go to stdout, ephemeral-storage limit set", "Temp files are rotated, and there is a storage limit"],
    lookAlikes: [
      {
        report: "{service} evicted from {host}, node pressure",
        log: "The node was low on resource: memory. Container {service} was using {big}Ki, request is 64Mi",
        fix: "Memory requests were far below real use; set to measured use",
      },
      {
        report: "DiskPressure on {host}, {service} evicted, pods are small",
        log: "ImageGCFailed: failed to garbage collect required amount of images\nEvictionThresholdMet",
        fix: "Images filled /var/lib/containerd; lowered imageGCHighThresholdPercent",
      },
    ],
  },
  {
    name: "multi-attach",
    runbook: "kubernetes/volume-not-mounted.md",
    reports: [
      "{service}: Multi-Attach error for volume, FailedAttachVolume",
      "disk of {service} hangs on the dead node {host}",
      "{service}-0 ContainerCreating for {n} minutes, volume is attached elsewhere",
      "{service} statefulset does not come back after {host} died",
      "the cloud still thinks the failed machine owns the PVC of {service}",
    ],
    logs: [
      'Multi-Attach error for volume "pvc-{id}" Volume is already exclusively attached to one node and can\'t be attached to another',
      "Warning FailedAttachVolume pvc-{id}\nNode {host} NotReady, pod {service}-0 Terminating",
    ],
    fixes: [
      "Tainted the dead node out-of-service, so that the disk was detached",
      "Force-deleted the terminating pod and detached the volume",
    ],
    lookAlikes: [
      {
        report: "{service}: Multi-Attach error at each deploy",
        log: 'Multi-Attach error for volume "pvc-{id}" Volume is already used by pod(s) {service}-{id}\nRollingUpdate maxSurge 1',
        fix: "Rolling update with a single-writer disk; strategy Recreate",
      },
      {
        report: "{service}-0 volume not mounted, pod waits",
        log: 'MountVolume.SetUp failed for volume "certs": secret "{service}-tls" not found',
        fix: "The Secret was not deployed; created it",
      },
    ],
  },
  {
    name: "pdb-no-slack",
    runbook: "kubernetes/pod-disruption-budget-blocks-drain.md",
    reports: [
      "node drain of {host} blocked by the PDB of {service}",
      "Cannot evict pod {service}-{id}, would violate disruption budget",
      "cluster upgrade waits {n}h on {host}, minAvailable equals replicas ({service})",
      "maintenance of {host} hangs",
      "budget of {service} allows 0 disruptions so the drain never ends",
    ],
    logs: [
      'error when evicting pods/"{service}-{id}" (will retry after 5s): Cannot evict pod as it would violate the pod\'s disruption budget.',
      "The disruption budget {service} needs {n} healthy pods and has {n} currently\nALLOWED DISRUPTIONS 0",
    ],
    fixes: [
      "PDB uses maxUnavailable: 1 now",
      "minAvailable was equal to the replica count; changed to maxUnavailable 1",
    ],
    lookAlikes: [
      {
        report: "node drain of {host} blocked, {service} has unhealthy pods",
        log: "Cannot evict pod as it would violate the pod's disruption budget.\ncurrentHealthy 1 desiredHealthy 2, CrashLoopBackOff",
        fix: "Its pods crashed and used up the budget; repaired the application",
      },
      {
        report: "drain of {host} returns an error for {service} at each try",
        log: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
        fix: "Two budgets selected the same pod; deleted one",
      },
    ],
  },
  {
    name: "metrics-server-down",
    runbook: "kubernetes/hpa-not-scaling.md",
    reports: [
      "HPA of {service} shows <unknown>/80%",
      "autoscaling of {service} blind, metrics API not available",
      "FailedGetResourceMetric {service} in {ns} {since}",
      "{service} overloaded at {pct}% CPU, replicas stay at {n}",
      "kubectl top errors everywhere and nothing scales, {service} suffers most",
    ],
    logs: [
      "unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)",
      "metrics-server: Failed to scrape node: x509: cannot validate certificate\nerror: Metrics API not available",
    ],
    fixes: [
      "metrics-server could not verify kubelet certificates; renewed them",
      "Restarted metrics-server with the right CA",
    ],
    lookAlikes: [
      {
        report: "HPA of {service} not scaling over {n} replicas",
        log: "ScalingLimited True TooManyReplicas the desired replica count is more than the maximum replica count",
        fix: "maxReplicas was too low; raised after a load test",
      },
      {
        report: "HPA of {service} shows <unknown> since the sidecar",
        log: "failed to get cpu utilization: missing request for cpu in container envoy of Pod {service}-{id}",
        fix: "Sidecar lacked a CPU request; set it",
      },
    ],
  },
  {
    name: "node-cni",
    runbook: "kubernetes/node-not-ready.md",
    reports: [
      "node {host} NotReady, cni plugin not initialized",
      "KubeNodeNotReady {host}: container runtime network not ready",
      "fresh nodes never become ready, {service} has no place to go",
      "{host} joined and stays NotReady",
      "the network daemonset crashes on {host}, so kubelet reports no network",
    ],
    logs: [
      "kubelet: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message: cni plugin not initialized",
      "cilium-agent {id} CrashLoopBackOff on {host}\nkubelet: cni plugin not initialized",
    ],
    fixes: ["Repaired the CNI DaemonSet", "CNI pod crashed on the new kernel; upgraded the plugin"],
    lookAlikes: [
      {
        report: "node {host} NotReady, kubelet stopped posting status",
        log: "NodeStatusUnknown Kubelet stopped posting node status.\nssh: connect to host {host}: No route to host",
        fix: "The machine was stopped by the provider; replaced the node",
      },
      {
        report: "KubeNodeNotReady {host} flaps",
        log: "PLEG is not healthy: pleg was last seen active {n}m ago",
        fix: "Too many containers on a slow disk; lowered pod density",
      },
    ],
  },
  {
    name: "quota-surge",
    runbook: "kubernetes/resource-quota-exceeded.md",
    reports: [
      "exceeded quota in {ns}, {service} pods forbidden",
      "FailedCreate {service}: requests.memory over the namespace limit while deploying",
      "KubeQuotaFullyUsed {ns} during each rollout of {service}",
      "{service} deploy does not progress, no pods appear",
      "surge pods of {service} don't fit into what {ns} is allowed",
    ],
    logs: [
      'Error creating: pods "{service}-{id}" is forbidden: exceeded quota: compute, requested: requests.memory={n}Gi, used: requests.memory=64Gi, limited: requests.memory=64Gi',
      "Warning FailedCreate replicaset {service}-{id} forbidden: exceeded quota\nmaxSurge 25%",
    ],
    fixes: ["Quota sized for replicas plus surge", "Raised the namespace quota by one surge pod"],
    lookAlikes: [
      {
        report: "{service} pods forbidden by quota in {ns}: must specify limits",
        log: "failed quota: compute: must specify limits.cpu for: istio-proxy; limits.memory for: istio-proxy",
        fix: "Injected sidecar had no limits; added a LimitRange",
      },
      {
        report: "quota of {ns} full, {service} jobs are refused",
        log: "exceeded quota: objects, requested: count/jobs.batch=1, used: count/jobs.batch=500",
        fix: "Old finished jobs filled it; ttlSecondsAfterFinished set",
      },
    ],
  },
];
