// Objects of a cluster in the shapes that an API server returns, for tests.

import type { ClusterObject } from "../integration/support/servers/cluster-selectors.ts";

const CREATED = "2026-03-01T02:00:00Z";

interface PodOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Name of its ReplicaSet; null for a pod without an owner. */
  readonly owner?: string | null;
  readonly spec?: object;
  readonly container?: object;
  readonly status?: object;
}

/** A running pod with one container. */
export function pod({
  name = "checkout-7d9f8b6c5-x2x9p",
  namespace = "shop",
  labels = { app: "checkout", "pod-template-hash": "7d9f8b6c5" },
  owner = "checkout-7d9f8b6c5",
  spec = {},
  container = {},
  status = {},
}: PodOptions = {}): ClusterObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels,
      uid: "5b0a3a52-7d5c-4e5e-9a57-0f1b6a3c2d11",
      resourceVersion: "81699",
      creationTimestamp: CREATED,
      ...(owner === null ? {} : { ownerReferences: [ownerReference("apps/v1", "ReplicaSet", owner)] }),
      managedFields: [{ manager: "kubelet", operation: "Update", apiVersion: "v1", fieldsV1: { "f:status": {} } }],
    },
    spec: {
      nodeName: "worker-2",
      restartPolicy: "Always",
      containers: [
        {
          name: "checkout",
          image: "registry.example.com/shop/checkout:1.42.0",
          env: [
            { name: "DB_PASSWORD", value: "planted-password-17" },
            { name: "API_KEY", valueFrom: { secretKeyRef: { name: "checkout", key: "api-key" } } },
          ],
          resources: { limits: { memory: "256Mi", cpu: "500m" }, requests: { memory: "128Mi", cpu: "100m" } },
          ...container,
        },
      ],
      ...spec,
    },
    status: {
      phase: "Running",
      startTime: CREATED,
      podIP: "10.42.1.17",
      conditions: [
        condition("PodScheduled", "True"),
        condition("Initialized", "True"),
        condition("ContainersReady", "True"),
        condition("Ready", "True"),
      ],
      containerStatuses: [containerStatus()],
      ...status,
    },
  };
}

export function ownerReference(apiVersion: string, kind: string, name: string): object {
  return {
    apiVersion,
    kind,
    name,
    uid: "0c9d1c2e-2f5e-4d0b-8f4e-57d0c6f3a1b2",
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function condition(type: string, status: "True" | "False" | "Unknown", rest: object = {}): object {
  return { type, status, lastProbeTime: null, lastTransitionTime: CREATED, ...rest };
}

/** @param rest for example `state`, `lastState` and `restartCount` */
export function containerStatus(rest: object = {}): object {
  return {
    name: "checkout",
    ready: true,
    started: true,
    restartCount: 0,
    image: "registry.example.com/shop/checkout:1.42.0",
    imageID:
      "registry.example.com/shop/checkout@sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    containerID: "containerd://1d2f",
    state: { running: { startedAt: CREATED } },
    lastState: {},
    ...rest,
  };
}

interface EventOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly about?: { readonly kind: string; readonly name: string };
  readonly type?: "Normal" | "Warning";
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly last?: string | null;
  readonly rest?: object;
}

export function event({
  name = "checkout-7d9f8b6c5-x2x9p.17a1",
  namespace = "shop",
  about = { kind: "Pod", name: "checkout-7d9f8b6c5-x2x9p" },
  type = "Warning",
  reason = "BackOff",
  message = "Back-off restarting failed container checkout in pod checkout-7d9f8b6c5-x2x9p_shop",
  count = 7,
  last = "2026-03-01T03:01:00Z",
  rest = {},
}: EventOptions = {}): ClusterObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace, uid: "8f1d", creationTimestamp: CREATED },
    involvedObject: { apiVersion: "v1", ...about, namespace, uid: "5b0a3a52" },
    reason,
    message,
    type,
    count,
    source: { component: "kubelet", host: "worker-2" },
    firstTimestamp: CREATED,
    lastTimestamp: last,
    reportingComponent: "kubelet",
    reportingInstance: "worker-2",
    ...rest,
  };
}

/** Any other object. */
export function clusterObject(
  apiVersion: string,
  kind: string,
  name: string,
  {
    namespace,
    labels,
    ...rest
  }: { readonly namespace?: string; readonly labels?: Record<string, string>; readonly [field: string]: unknown } = {},
): ClusterObject {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      uid: "b1f0",
      creationTimestamp: CREATED,
    },
    ...rest,
  };
}
