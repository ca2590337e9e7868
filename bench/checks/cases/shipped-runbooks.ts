// Alerts that the runbooks which ship explain. Train: redis, host, kubernetes. Held out: kafka, host, kubernetes, postgres.

import { condition, containerStatus, event, pod } from "../../../tests/support/cluster-objects.ts";
import { type CheckCase, counter, gauge } from "../check-case.ts";

const REDIS = { instance: "redis-7:9121", job: "redis" };
const WEB = { instance: "web-3:9100", job: "node" };
const ext4 = (instance: string, mountpoint: string) => ({
  instance,
  job: "node",
  device: "/dev/sda1",
  fstype: "ext4",
  mountpoint,
});
const fileSystem = (
  labels: Readonly<Record<string, string>>,
  { bytesFree, inodesFree }: { readonly bytesFree: number; readonly inodesFree: number },
) => [
  gauge("node_filesystem_avail_bytes", labels, bytesFree * 1e11),
  gauge("node_filesystem_size_bytes", labels, 1e11),
  gauge("node_filesystem_files_free", labels, inodesFree * 6e6),
  gauge("node_filesystem_files", labels, 6e6),
];
const OOM_POD = { namespace: "shop", pod: "checkout-7d9f8b6c5-x2x9p" };

const TRAIN: readonly CheckCase[] = [
  {
    id: "redis-expiry",
    part: "train",
    kind: "right",
    about: "the runbook and one of its causes are confirmed, two causes are refuted",
    request: {
      title: "RedisMemoryHigh: redis-7 uses 99 % of maxmemory",
      labels: { alertname: "RedisMemoryHigh", severity: "critical", ...REDIS },
    },
    metrics: [
      gauge("redis_memory_used_bytes", REDIS, 3.96e9),
      gauge("redis_memory_max_bytes", REDIS, 4e9),
      gauge("redis_memory_used_rss_bytes", REDIS, 4.1e9),
      gauge("redis_db_keys", { ...REDIS, db: "db0" }, 900_000),
      gauge("redis_db_keys_expiring", { ...REDIS, db: "db0" }, 12_000),
      gauge("redis_mem_clients_normal", REDIS, 4e6),
      gauge("redis_mem_clients_slaves", REDIS, 0),
    ],
    right: { source: "redis/memory-full-oom-command-not-allowed.md", cause: "Keys without an expiry" },
    ruledOut: [
      "redis/memory-full-oom-command-not-allowed.md#Client buffers",
      "redis/memory-full-oom-command-not-allowed.md#Fragmentation",
    ],
  },
  {
    id: "host-inodes",
    part: "train",
    kind: "right",
    about: "one error of two runbooks; the checks show which",
    request: {
      title: "HostWritesFail: web-3 cannot write to /srv",
      labels: { alertname: "HostWritesFail", severity: "critical", ...WEB, mountpoint: "/srv" },
      logs: "open /srv/sessions/9f2: No space left on device",
    },
    metrics: fileSystem(ext4("web-3:9100", "/srv"), { bytesFree: 0.6, inodesFree: 0.0004 }),
    right: { source: "host/inodes-exhausted.md" },
    ruledOut: ["host/filesystem-full-enospc.md"],
  },
  {
    id: "kubernetes-oom",
    part: "train",
    kind: "right",
    about: "metrics and objects confirm the cause of a symptom that many runbooks name",
    request: {
      title: "KubePodCrashLooping: checkout restarts every few minutes",
      labels: { alertname: "KubePodCrashLooping", severity: "warning", ...OOM_POD, container: "checkout" },
    },
    metrics: [
      gauge("container_memory_working_set_bytes", { ...OOM_POD, container: "checkout" }, 267e6),
      gauge("kube_pod_container_resource_limits", { ...OOM_POD, container: "checkout", resource: "memory" }, 268e6),
    ],
    objects: [
      pod({
        status: {
          containerStatuses: [
            containerStatus({
              ready: false,
              restartCount: 9,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: { reason: "OOMKilled", exitCode: 137 } },
            }),
          ],
        },
      }),
    ],
    right: { source: "kubernetes/container-oomkilled-exit-137.md" },
    ruledOut: [],
  },
  {
    id: "host-full-both",
    part: "train",
    kind: "misleading",
    about: "the check of a near-duplicate confirms by coincidence; the alert names the cause",
    request: {
      title: "HostFilesystemFull: /var of db-4 has 0.3 % of its bytes left",
      labels: {
        alertname: "HostFilesystemFull",
        severity: "critical",
        instance: "db-4:9100",
        job: "node",
        mountpoint: "/var",
      },
    },
    metrics: fileSystem(ext4("db-4:9100", "/var"), { bytesFree: 0.003, inodesFree: 0.006 }),
    right: { source: "host/filesystem-full-enospc.md" },
    ruledOut: [],
  },
  {
    id: "kubernetes-quota",
    part: "train",
    kind: "right",
    about: "the alert names the symptom alone",
    request: {
      title: "KubeDeploymentReplicasMismatch: 3 of 5 replicas of api exist",
      labels: {
        alertname: "KubeDeploymentReplicasMismatch",
        severity: "warning",
        namespace: "team-a",
        deployment: "api",
      },
      logs: 'Warning FailedCreate replicaset/api-5f pods "api-5f-" is forbidden: exceeded quota: compute',
    },
    metrics: [
      gauge(
        "kube_resourcequota",
        { namespace: "team-a", resourcequota: "compute", resource: "requests.cpu", type: "used" },
        20,
      ),
      gauge(
        "kube_resourcequota",
        { namespace: "team-a", resourcequota: "compute", resource: "requests.cpu", type: "hard" },
        20,
      ),
      gauge(
        "kube_resourcequota",
        { namespace: "team-a", resourcequota: "compute", resource: "count/jobs.batch", type: "used" },
        1,
      ),
      gauge(
        "kube_resourcequota",
        { namespace: "team-a", resourcequota: "compute", resource: "count/jobs.batch", type: "hard" },
        50,
      ),
    ],
    right: { source: "kubernetes/resource-quota-exceeded.md" },
    ruledOut: ["kubernetes/resource-quota-exceeded.md#Forgotten objects"],
  },
];

const KAFKA = { job: "kafka-exporter" };
const GROUP = { ...KAFKA, consumergroup: "billing", topic: "orders" };
const lag = {
  title: "KafkaConsumerGroupLag: billing is 210k records behind on orders",
  labels: { alertname: "KafkaConsumerGroupLag", severity: "warning", ...GROUP },
};
const PARTITIONS = ["0", "1", "2"];
/** @param readPerSecond of each partition */
const topic = (readPerSecond: readonly number[], members: number) => [
  ...PARTITIONS.flatMap((partition, i) => [
    counter("kafka_topic_partition_current_offset", { ...KAFKA, topic: "orders", partition }, 40),
    counter("kafka_consumergroup_current_offset", { ...GROUP, partition }, readPerSecond[i] ?? 0),
    gauge("kafka_consumergroup_lag", { ...GROUP, partition }, 70_000),
  ]),
  gauge("kafka_consumergroup_members", GROUP, members),
];
const EDGE = { instance: "edge-7:9100", job: "node" };
const API_POD = { namespace: "team-b", pod: "api-66b-q1" };
const DATABASE = { instance: "db-2:9187", job: "postgres" };

const HELD_OUT: readonly CheckCase[] = [
  {
    id: "kafka-no-consumer",
    part: "held out",
    kind: "right",
    about: "one cause of many is confirmed",
    request: lag,
    metrics: topic([0, 0, 0], 0),
    right: { source: "kafka/consumer-group-lag.md", cause: "Consumer gone" },
    ruledOut: ["kafka/consumer-group-lag.md#Hot partition"],
  },
  {
    id: "kafka-poison",
    part: "held out",
    kind: "right",
    about: "one partition of three stands still",
    request: { ...lag, question: "why does billing not catch up?" },
    metrics: topic([38, 0, 39], 3),
    right: { source: "kafka/consumer-group-lag.md", cause: "Poison record" },
    ruledOut: ["kafka/consumer-group-lag.md#Consumer gone", "kafka/consumer-group-lag.md#Hot partition"],
  },
  {
    id: "host-conntrack",
    part: "held out",
    kind: "right",
    about: "the alert names the symptom alone",
    request: {
      title: "HostConnectionsDropped: new connections to edge-7 time out",
      labels: { alertname: "HostConnectionsDropped", severity: "critical", ...EDGE },
      logs: "kernel: nf_conntrack: table full, dropping packet",
    },
    metrics: [
      gauge("node_nf_conntrack_entries", EDGE, 262_100),
      gauge("node_nf_conntrack_entries_limit", EDGE, 262_144),
    ],
    right: { source: "host/conntrack-table-full.md" },
    ruledOut: [],
  },
  {
    id: "kubernetes-no-node",
    part: "held out",
    kind: "misleading",
    about: "a quota of the namespace is full by coincidence",
    request: {
      title: "KubePodNotReady: api-66b-q1 is Pending for 20 minutes",
      labels: { alertname: "KubePodNotReady", severity: "warning", ...API_POD },
    },
    metrics: [
      gauge(
        "kube_resourcequota",
        { namespace: "team-b", resourcequota: "c", resource: "count/jobs.batch", type: "used" },
        50,
      ),
      gauge(
        "kube_resourcequota",
        { namespace: "team-b", resourcequota: "c", resource: "count/jobs.batch", type: "hard" },
        50,
      ),
    ],
    objects: [
      pod({
        name: API_POD.pod,
        namespace: API_POD.namespace,
        labels: { app: "api" },
        status: {
          phase: "Pending",
          conditions: [
            condition("PodScheduled", "False", { reason: "Unschedulable", message: "0/9 nodes: Insufficient cpu" }),
          ],
          containerStatuses: [],
        },
      }),
      event({
        name: "api-66b-q1.2",
        namespace: API_POD.namespace,
        about: { kind: "Pod", name: API_POD.pod },
        reason: "NotTriggerScaleUp",
        message: "pod didn't trigger scale-up: 3 max node group size reached",
      }),
    ],
    right: { source: "kubernetes/pod-pending-failed-scheduling.md" },
    ruledOut: [],
  },
  {
    id: "postgres-slots-free",
    part: "held out",
    kind: "misleading",
    about: "the nearest runbook is refuted, and no other explains the alert",
    request: {
      title: "OrdersNoConnection: orders-api gets no connection from its pool to db-2",
      labels: { alertname: "OrdersNoConnection", severity: "critical", ...DATABASE },
    },
    metrics: [
      gauge("pg_stat_activity_count", { ...DATABASE, datname: "orders", state: "idle" }, 31),
      gauge("pg_settings_max_connections", DATABASE, 100),
    ],
    right: null,
    ruledOut: ["postgres/connection-slots-exhausted-53300.md"],
  },
];

export const SHIPPED_CASES: readonly CheckCase[] = [...TRAIN, ...HELD_OUT];
