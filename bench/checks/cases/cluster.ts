// Objects of a cluster. Train: a router whose pods do not start. Held out: a gateway without a healthy backend.

import { clusterObject, condition, containerStatus, event, pod } from "../../../tests/support/cluster-objects.ts";
import { type CheckCase, gauge } from "../check-case.ts";

const ROUTER = { app: "parcel-router" };
const missing = {
  title: "ParcelRouterReplicasMissing: 1 of 4 pods of parcel-router is available",
  labels: {
    alertname: "ParcelRouterReplicasMissing",
    severity: "warning",
    namespace: "parcels",
    deployment: "parcel-router",
  },
};
const routerPod = (name: string, status: object = {}) =>
  pod({ name, namespace: "parcels", labels: ROUTER, owner: "parcel-router-6c", status });
const waiting = (reason: string) =>
  containerStatus({ name: "router", ready: false, started: false, state: { waiting: { reason } } });
const refusedCreation = (owner: string) =>
  event({
    name: `${owner}.1`,
    namespace: "parcels",
    about: { kind: "ReplicaSet", name: owner },
    reason: "FailedCreate",
    message: `Error creating: pods "${owner}-" is forbidden: exceeded quota: compute`,
  });

export const ROUTER_CASES: readonly CheckCase[] = [
  {
    id: "router-image",
    part: "train",
    kind: "right",
    about: "the state of the pods confirms one runbook",
    request: missing,
    objects: [
      routerPod("parcel-router-5d-a"),
      routerPod("parcel-router-6c-b", { phase: "Pending", containerStatuses: [waiting("ImagePullBackOff")] }),
    ],
    right: { source: "parcel-router/image-missing.md" },
    ruledOut: ["parcel-router/pods-not-placed.md#No node has the label"],
  },
  {
    id: "router-unplaced",
    part: "train",
    kind: "right",
    about: "a cause of the runbook is confirmed",
    request: missing,
    objects: [
      routerPod("parcel-router-5d-a"),
      routerPod("parcel-router-6c-b", {
        phase: "Pending",
        conditions: [condition("PodScheduled", "False", { reason: "Unschedulable" })],
        containerStatuses: undefined,
      }),
    ],
    right: { source: "parcel-router/pods-not-placed.md", cause: "No node has the label" },
    ruledOut: [],
  },
  {
    id: "router-other-workload",
    part: "train",
    kind: "misleading",
    about: "events of another workload of the namespace confirm a cause, beside the true one",
    request: {
      ...missing,
      logs: 'Failed to pull image "registry.example.com/parcels/router:7.3.0": manifest unknown: the image tag does not exist',
    },
    objects: [
      routerPod("parcel-router-5d-a"),
      routerPod("parcel-router-6c-b", { phase: "Pending", containerStatuses: [waiting("ImagePullBackOff")] }),
      refusedCreation("billing-export-77"),
    ],
    right: { source: "parcel-router/image-missing.md" },
    ruledOut: ["parcel-router/pods-not-placed.md#No node has the label"],
  },
];

const ROUTE = { namespace: "edge", route: "orders", job: "sluice" };
const errors503 = {
  title: "SluiceErrors503: 31 % of the requests of route orders get 503",
  labels: { alertname: "SluiceErrors503", severity: "critical", ...ROUTE, app: "orders" },
};
const ORDERS = { app: "orders" };
const backend = (name: string, isReady: boolean) =>
  pod({
    name,
    namespace: "edge",
    labels: ORDERS,
    status: { containerStatuses: [containerStatus({ name: "orders", ready: isReady })] },
  });
const deployment = (replicas: number) =>
  clusterObject("apps/v1", "Deployment", "orders", { namespace: "edge", labels: ORDERS, spec: { replicas } });

export const GATEWAY_CASES: readonly CheckCase[] = [
  {
    id: "sluice-circuit",
    part: "held out",
    kind: "right",
    about: "metrics confirm one runbook, objects refute another",
    request: errors503,
    metrics: [
      gauge("sluice_circuit_open", ROUTE, 1),
      gauge("sluice_backend_certificate_seconds_left", ROUTE, 3_400_000),
    ],
    objects: [backend("orders-1", true), backend("orders-2", true), deployment(2)],
    right: { source: "sluice/gateway-circuit-open.md" },
    ruledOut: ["sluice/gateway-no-backends.md", "sluice/gateway-certificate.md"],
  },
  {
    id: "sluice-readiness",
    part: "held out",
    kind: "right",
    about: "objects confirm a cause of one runbook, metrics refute the others",
    request: errors503,
    metrics: [
      gauge("sluice_circuit_open", ROUTE, 0),
      gauge("sluice_backend_certificate_seconds_left", ROUTE, 3_400_000),
    ],
    objects: [backend("orders-1", false), backend("orders-2", false), deployment(2)],
    right: { source: "sluice/gateway-no-backends.md", cause: "The readiness probe" },
    ruledOut: [
      "sluice/gateway-no-backends.md#The deployment was scaled",
      "sluice/gateway-circuit-open.md",
      "sluice/gateway-certificate.md",
    ],
  },
  {
    id: "sluice-certificate",
    part: "held out",
    kind: "misleading",
    about: "a consequence is confirmed beside the cause; the log shows the cause",
    request: {
      ...errors503,
      logs: "2026-03-01T02:55:03Z error route=orders upstream: x509: certificate has expired or is not yet valid",
    },
    metrics: [gauge("sluice_circuit_open", ROUTE, 1), gauge("sluice_backend_certificate_seconds_left", ROUTE, -8_100)],
    objects: [backend("orders-1", true), backend("orders-2", true), deployment(2)],
    right: { source: "sluice/gateway-certificate.md" },
    ruledOut: ["sluice/gateway-no-backends.md"],
  },
];
