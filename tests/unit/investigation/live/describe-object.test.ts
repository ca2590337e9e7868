import { describe, expect, it } from "vitest";
import { describeObject } from "../../../../functions/investigation/live/describe-object.ts";
import { otherObjectSchema } from "../../../../functions/investigation/live/object-schemas.ts";
import { condition } from "../../../support/cluster-objects.ts";

function describeIt(kind: string, { metadata = {}, ...rest }: { metadata?: object; spec?: object; status?: object }) {
  return describeObject(kind, otherObjectSchema.parse({ metadata: { name: "checkout", ...metadata }, ...rest }));
}

describe("describeObject", () => {
  it.each<[string, string, { metadata?: object; spec?: object; status?: object }, string, string[]]>([
    [
      "a deployment that misses pods",
      "Deployment",
      {
        metadata: { generation: 4 },
        spec: { replicas: 3 },
        status: {
          observedGeneration: 4,
          readyReplicas: 1,
          updatedReplicas: 1,
          conditions: [
            condition("Available", "False", { reason: "MinimumReplicasUnavailable" }),
            condition("Progressing", "False", { reason: "ProgressDeadlineExceeded" }),
          ],
        },
      },
      "1 of 3 ready, 1 updated",
      [
        "Available is False since 2026-03-01T02:00:00Z: MinimumReplicasUnavailable",
        "Progressing is False since 2026-03-01T02:00:00Z: ProgressDeadlineExceeded",
      ],
    ],
    [
      "a deployment that cannot create pods",
      "Deployment",
      {
        metadata: { generation: 5 },
        spec: { replicas: 1, paused: true },
        status: {
          observedGeneration: 4,
          conditions: [condition("ReplicaFailure", "True", { reason: "FailedCreate" })],
        },
      },
      "0 of 1 ready, paused",
      [
        "ReplicaFailure is True since 2026-03-01T02:00:00Z: FailedCreate",
        "The last change of its specification is not processed yet",
      ],
    ],
    [
      "a deployment that is scaled to nothing",
      "Deployment",
      { spec: { replicas: 0 }, status: { conditions: [condition("Available", "True")] } },
      "0 of 0 ready",
      [],
    ],
    [
      "a stateful set that is updated",
      "StatefulSet",
      { spec: { replicas: 3 }, status: { readyReplicas: 2, currentRevision: "db-1", updateRevision: "db-2" } },
      "2 of 3 ready",
      ["Updates from db-1 to db-2"],
    ],
    [
      "a daemon set",
      "DaemonSet",
      { status: { desiredNumberScheduled: 5, numberReady: 4, numberMisscheduled: 1 } },
      "4 of 5 ready",
      ["1 pod on nodes where none should run"],
    ],
    [
      "a job that failed",
      "Job",
      {
        spec: { completions: 1 },
        status: { failed: 7, conditions: [condition("Failed", "True", { reason: "BackoffLimitExceeded" })] },
      },
      "Failed, 0 of 1 succeeded, 7 failed",
      ["Failed is True since 2026-03-01T02:00:00Z: BackoffLimitExceeded"],
    ],
    [
      "a job that is done",
      "Job",
      {
        status: { succeeded: 1, conditions: [condition("SuccessCriteriaMet", "True"), condition("Complete", "True")] },
      },
      "Complete, 1 of 1 succeeded, 0 failed",
      [],
    ],
    [
      "a job that is suspended by its schedule",
      "CronJob",
      { spec: { schedule: "0 3 * * *", suspend: true }, status: { active: [{}] } },
      "Suspended, 1 active",
      ["Schedule 0 3 * * *", "No success so far"],
    ],
    [
      "a node that is not ready",
      "Node",
      {
        spec: { unschedulable: true, taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }] },
        status: {
          allocatable: { cpu: "4", memory: "15Gi", pods: 110 },
          nodeInfo: { kubeletVersion: "v1.31.0" },
          conditions: [
            condition("MemoryPressure", "True", { reason: "KubeletHasInsufficientMemory" }),
            condition("DiskPressure", "False"),
            condition("Ready", "Unknown", {
              reason: "NodeStatusUnknown",
              message: "Kubelet stopped posting node status.",
            }),
          ],
        },
      },
      "Not ready, cordoned",
      [
        "MemoryPressure is True since 2026-03-01T02:00:00Z: KubeletHasInsufficientMemory",
        "Ready is Unknown since 2026-03-01T02:00:00Z: NodeStatusUnknown: Kubelet stopped posting node status.",
        "Allocatable: cpu 4, memory 15Gi, pods 110",
        "Taint node.kubernetes.io/unreachable:NoExecute",
        "Kubelet v1.31.0",
      ],
    ],
    [
      "a claim that waits for a volume",
      "PersistentVolumeClaim",
      {
        spec: { storageClassName: "fast", resources: { requests: { storage: "10Gi" } } },
        status: { phase: "Pending" },
      },
      "Pending",
      ["Requests 10Gi", "Storage class fast"],
    ],
    [
      "an autoscaler at its maximum",
      "HorizontalPodAutoscaler",
      {
        spec: { minReplicas: 2, maxReplicas: 10 },
        status: {
          currentReplicas: 10,
          desiredReplicas: 10,
          conditions: [
            condition("AbleToScale", "True"),
            condition("ScalingActive", "False", { reason: "FailedGetResourceMetric" }),
            condition("ScalingLimited", "True", { reason: "TooManyReplicas" }),
          ],
        },
      },
      "10 replicas, wants 10, at its maximum",
      [
        "ScalingActive is False since 2026-03-01T02:00:00Z: FailedGetResourceMetric",
        "ScalingLimited is True since 2026-03-01T02:00:00Z: TooManyReplicas",
        "Between 2 and 10 replicas",
      ],
    ],
    [
      "a stateful set of one revision",
      "StatefulSet",
      { status: { readyReplicas: 1, currentRevision: "db-1", updateRevision: "db-1" } },
      "1 of 1 ready",
      [],
    ],
    ["a daemon set without a status", "DaemonSet", {}, "0 of 0 ready", []],
    ["a job that runs", "Job", { status: { active: 1 } }, "Running, 0 of 1 succeeded, 0 failed", []],
    [
      "a suspended job",
      "Job",
      { status: { conditions: [condition("Suspended", "True")] } },
      "Not finished, 0 of 1 succeeded, 0 failed",
      [],
    ],
    [
      "a schedule that works",
      "CronJob",
      { status: { lastScheduleTime: "2026-03-01T03:00:00Z", lastSuccessfulTime: "2026-03-01T03:00:07Z" } },
      "Scheduled, 0 active",
      ["Last scheduled at 2026-03-01T03:00:00Z", "Last success at 2026-03-01T03:00:07Z"],
    ],
    [
      "a node that is ready",
      "Node",
      { spec: { taints: [{ key: "gpu" }] }, status: { conditions: [condition("Ready", "True")] } },
      "Ready",
      ["Taint gpu"],
    ],
    [
      "a claim that grew",
      "PersistentVolumeClaim",
      {
        spec: { storageClassName: "fast", resources: { requests: { storage: "20Gi" } } },
        status: { capacity: { storage: "10Gi" }, conditions: [condition("FileSystemResizePending", "True")] },
      },
      "Unknown",
      ["Requests 20Gi", "Has 10Gi", "Storage class fast"],
    ],
    [
      "an autoscaler that has not begun",
      "HorizontalPodAutoscaler",
      { spec: { maxReplicas: 4 } },
      "0 replicas, wants 0",
      ["Between 1 and 4 replicas"],
    ],
    [
      "an autoscaler without a maximum",
      "HorizontalPodAutoscaler",
      { status: { currentReplicas: 2, desiredReplicas: 2 } },
      "2 replicas, wants 2",
      ["Between 1 and ? replicas"],
    ],
    ["an object of another kind", "constructor", {}, "exists", []],
    [
      "an object of another kind with a problem",
      "Rollout",
      { status: { conditions: [condition("Degraded", "True", { reason: "AnalysisFailed" })] } },
      "exists",
      ["Degraded is True since 2026-03-01T02:00:00Z: AnalysisFailed"],
    ],
    [
      "an object that is being deleted",
      "PersistentVolumeClaim",
      { metadata: { deletionTimestamp: "2026-03-01T03:00:00Z" }, status: { phase: "Bound" } },
      "Terminating, Bound",
      ["No storage class"],
    ],
  ])("describes %s", (_, kind, object, state, facts) => {
    expect(describeIt(kind, object)).toEqual({ state, owner: null, facts });
  });
});
