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
  "host/filesystem-full-enospc": ["NodeFilesystemAlmostOutOfSpace", "NodeFilesystemSpaceFillingUp"],
  "host/inodes-exhausted": ["NodeFilesystemAlmostOutOfFiles", "NodeFilesystemFilesFillingUp"],
  "host/clock-not-synchronised": ["NodeClockSkewDetected", "NodeClockNotSynchronising"],
  "host/too-many-open-files": ["NodeFileDescriptorLimit"],
  "host/conntrack-table-full": ["NodeHighNumberConntrackEntriesUsed"],
  "host/network-packet-loss": ["NodeNetworkReceiveErrs", "NodeNetworkTransmitErrs"],
  "host/disk-slow-or-failing": ["NodeRAIDDegraded", "NodeRAIDDiskFailure"],
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
