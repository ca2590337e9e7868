// Runbooks that ship with Dejavu and are about the same failure as a runbook of a data set, by the data set's name. With
// `--beside`, either of them is right.

const EQUIVALENT_ALERTS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes/crash-loop-back-off": ["KubePodCrashLooping"],
  "kubernetes/statefulset-daemonset-rollout-stuck": [
    ...["KubeDaemonSetRolloutStuck", "KubeDaemonSetNotScheduled", "KubeDaemonSetMisScheduled"],
    ...["KubeStatefulSetUpdateNotRolledOut", "KubeStatefulSetReplicasMismatch", "KubeStatefulSetGenerationMismatch"],
  ],
  "kubernetes/stuck-rollout-progress-deadline": ["KubeDeploymentReplicasMismatch", "KubeDeploymentGenerationMismatch"],
  "kubernetes/job-failed-backoff-limit": ["KubeJobFailed", "KubeJobCompletion"],
  "kubernetes/cluster-requests-overcommitted": [
    ...["KubeCPUOvercommit", "KubeMemoryOvercommit", "KubeCPUQuotaOvercommit", "KubeMemoryQuotaOvercommit"],
  ],
  "kubernetes/resource-quota-exceeded": ["KubeQuotaAlmostFull", "KubeQuotaFullyUsed", "KubeQuotaExceeded"],
  "kubernetes/cpu-throttling": ["CPUThrottlingHigh"],
  "kubernetes/node-not-ready": ["KubeNodeNotReady", "KubeNodeUnreachable", "KubeNodeReadinessFlapping"],
  "kubernetes/hpa-not-scaling": ["KubeHpaMaxedOut", "KubeHpaReplicasMismatch"],
  "kubernetes/control-plane-certificate-expired": [
    ...["KubeClientCertificateExpiration", "KubeletClientCertificateExpiration", "KubeletServerCertificateExpiration"],
    ...["KubeletClientCertificateRenewalErrors", "KubeletServerCertificateRenewalErrors"],
  ],
  "kubernetes/pod-sandbox-creation-failed": ["KubeletPlegDurationHigh"],
  "host/filesystem-full-enospc": [
    ...["NodeFilesystemAlmostOutOfSpace", "NodeFilesystemSpaceFillingUp", "disk_space_usage"],
  ],
  "host/inodes-exhausted": ["NodeFilesystemAlmostOutOfFiles", "NodeFilesystemFilesFillingUp", "disk_inode_usage"],
  "host/clock-not-synchronised": ["NodeClockSkewDetected", "NodeClockNotSynchronising", "system_clock_sync_state"],
  "host/too-many-open-files": ["NodeFileDescriptorLimit", "system_file_descriptors_utilization"],
  "host/conntrack-table-full": ["NodeHighNumberConntrackEntriesUsed", "netfilter_conntrack_full"],
  "host/network-packet-loss": [
    ...["NodeNetworkReceiveErrs", "NodeNetworkTransmitErrs", "1min_netdev_backlog_exceeded"],
    ...["1min_netdev_budget_ran_outs", "inbound_packets_dropped_ratio", "outbound_packets_dropped_ratio"],
  ],
  "host/disk-slow-or-failing": [
    ...["NodeRAIDDegraded", "NodeRAIDDiskFailure", "nvme_device_critical_warnings_state"],
    ...["10min_disk_utilization", "10min_disk_backlog", "ioping_disk_latency"],
  ],
  "host/high-load-cpu-steal": [
    ...["20min_steal_cpu", "10min_cpu_usage", "10min_cpu_iowait", "load_cpu_number"],
    ...["load_average_1", "load_average_5", "load_average_15"],
  ],
  "host/kernel-oom-killer": ["oom_kill"],
  "host/systemd-unit-failed": [
    ...["automount", "device", "mount", "path", "scope", "service", "slice", "socket", "swap", "target"].map(
      (unit) => `systemd_${unit}_unit_failed_state`,
    ),
  ],
  "host/tls-certificate-expired-or-untrusted": ["x509check_days_until_expiration", "x509check_revocation_status"],
  "docker/container-unhealthy": ["docker_container_unhealthy"],
  "mysql/queries-suddenly-slow": ["mysql_10s_slow_queries"],
  "mysql/replica-lag": ["mysql_replication_lag"],
  "mysql/replication-stopped-1062-1032-1236": ["mysql_replication"],
  "mysql/too-many-connections-1040": ["mysql_connections"],
  "postgres/connection-slots-exhausted-53300": [
    ...["postgres_total_connection_utilization", "CNPGClusterHighConnectionsWarning"],
    "CNPGClusterHighConnectionsCritical",
  ],
  "postgres/deadlock-detected-40p01": ["postgres_db_deadlocks_rate"],
  "postgres/disk-full-pg-wal-53100": ["CNPGClusterLowDiskSpaceWarning", "CNPGClusterLowDiskSpaceCritical"],
  "postgres/primary-down-failover": ["CNPGClusterOffline"],
  "postgres/streaming-replication-lag": [
    ...["CNPGClusterHighReplicationLag", "CNPGClusterPhysicalReplicationLag"],
    "CNPGClusterHighPhysicalReplicationLagWarning",
  ],
  "postgres/table-bloat-autovacuum": ["postgres_table_last_autovacuum_time"],
  "postgres/transaction-id-wraparound": ["postgres_txid_exhaustion_perc"],
  "redis/cannot-persist-misconf-rdb-aof": ["redis_bgsave_broken", "redis_bgsave_slow"],
  "redis/max-clients-reached": ["redis_connections_rejected"],
  "redis/replica-link-down-full-resync-loop": ["redis_master_link_down"],
};

/** The runbooks that ship, by the name of the data set's runbook. */
export const EQUIVALENTS: Readonly<Record<string, readonly string[]>> = invert(EQUIVALENT_ALERTS);

function invert(table: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  const inverted: Record<string, string[]> = {};
  for (const [shipped, names] of Object.entries(table)) {
    for (const name of names) inverted[name] = [...(inverted[name] ?? []), shipped];
  }
  return inverted;
}
