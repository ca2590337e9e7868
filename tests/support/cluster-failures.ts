// Pods that fail, in the shapes that an API server returns.

import type { ClusterObject } from "../integration/support/servers/cluster-selectors.ts";
import { condition, containerStatus, ownerReference, pod } from "./cluster-objects.ts";

const UNREADY = {
  reason: "ContainersNotReady",
  message: "containers with unready status: [checkout]",
  lastTransitionTime: "2026-03-01T03:00:12Z",
};
const NOT_READY = [
  condition("Initialized", "True"),
  condition("Ready", "False", UNREADY),
  condition("ContainersReady", "False", UNREADY),
  condition("PodScheduled", "True"),
];
const OOM_KILLED = {
  exitCode: 137,
  reason: "OOMKilled",
  startedAt: "2026-03-01T02:59:28Z",
  finishedAt: "2026-03-01T03:00:10Z",
  containerID: "containerd://1d2f",
};
const BACK_OFF = {
  reason: "CrashLoopBackOff",
  message:
    "back-off 5m0s restarting failed container=checkout pod=checkout-7d9f8b6c5-x2x9p_shop(5b0a3a52-7d5c-4e5e-9a57-0f1b6a3c2d11)",
};

const failing = (containerStatuses: object[], rest: object = {}) =>
  pod({ status: { conditions: NOT_READY, containerStatuses, ...rest } });

export const crashLoop = (): ClusterObject =>
  failing([
    containerStatus({
      ready: false,
      started: false,
      restartCount: 7,
      state: { waiting: BACK_OFF },
      lastState: { terminated: { ...OOM_KILLED, exitCode: 1, reason: "Error" } },
    }),
  ]);

export const oomKilled = (): ClusterObject =>
  failing([
    containerStatus({
      ready: false,
      restartCount: 1,
      state: { terminated: OOM_KILLED },
      lastState: { terminated: { ...OOM_KILLED, finishedAt: "2026-03-01T02:50:10Z", startedAt: null } },
    }),
  ]);

export const runningAfterOom = (): ClusterObject =>
  pod({ status: { containerStatuses: [containerStatus({ restartCount: 3, lastState: { terminated: OOM_KILLED } })] } });

export const imagePull = (): ClusterObject =>
  failing(
    [
      containerStatus({
        ready: false,
        started: false,
        imageID: "",
        state: {
          waiting: {
            reason: "ImagePullBackOff",
            message: 'Back-off pulling image "registry.example.com/shop/checkout:1.43.0"',
          },
        },
      }),
    ],
    { phase: "Pending" },
  );

export const unschedulable = (): ClusterObject =>
  pod({
    spec: { nodeName: undefined },
    status: {
      phase: "Pending",
      podIP: undefined,
      containerStatuses: undefined,
      conditions: [
        condition("PodScheduled", "False", {
          reason: "Unschedulable",
          message: "0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available",
        }),
      ],
    },
  });

export const evicted = (): ClusterObject =>
  pod({
    status: {
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 40Mi.",
      containerStatuses: undefined,
      conditions: [condition("DisruptionTarget", "True", { reason: "TerminationByKubelet" })],
    },
  });

export const initFailing = (): ClusterObject =>
  pod({
    spec: { initContainers: [{ name: "migrate" }, { name: "warm" }] },
    status: {
      phase: "Pending",
      conditions: [condition("Initialized", "False", { reason: "ContainersNotInitialized" })],
      initContainerStatuses: [
        containerStatus({
          name: "migrate",
          ready: false,
          restartCount: 4,
          state: { waiting: { ...BACK_OFF, message: undefined } },
          lastState: {
            terminated: { ...OOM_KILLED, exitCode: 3, reason: "Error", message: "relation does not exist\n" },
          },
        }),
        containerStatus({ name: "warm", ready: false, state: { waiting: { reason: "PodInitializing" } } }),
      ],
      containerStatuses: [containerStatus({ ready: false, state: { waiting: { reason: "PodInitializing" } } })],
    },
  });

export const sidecarNotReady = (): ClusterObject =>
  failing([containerStatus({ ready: false }), containerStatus({ name: "proxy", restartCount: 2 })]);

export const completed = (): ClusterObject => {
  const done = pod({
    name: "backup-28461-x7k2p",
    owner: null,
    status: {
      phase: "Succeeded",
      conditions: [condition("Ready", "False", { reason: "PodCompleted" })],
      containerStatuses: [
        containerStatus({ ready: false, state: { terminated: { ...OOM_KILLED, exitCode: 0, reason: "Completed" } } }),
      ],
    },
  });
  return {
    ...done,
    metadata: { ...done.metadata, ownerReferences: [ownerReference("batch/v1", "Job", "backup-28461")] },
  };
};
