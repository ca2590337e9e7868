import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKubernetesClient } from "../../../functions/adapters/evidence/kubernetes.ts";
import { observeObject } from "../../../functions/investigation/live/observe-object.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { crashLoop } from "../../support/cluster-failures.ts";
import { clusterObject, event, ownerReference, pod } from "../../support/cluster-objects.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type ClusterObject, type ClusterServer, clusterServer } from "../support/servers/cluster-server.ts";

const POD = "checkout-7d9f8b6c5-x2x9p";
const ALERT = { namespace: "shop", pod: POD };
const { startTimer, expireHungAmongOthers } = createTestTimers();
let server: ClusterServer;

beforeEach(async () => {
  server = await clusterServer();
  expireHungAmongOthers(server, "evidence_source");
});
afterEach(() => server[Symbol.asyncDispose]());

function observe(labels: Record<string, string>) {
  const definition = { name: "prod", kind: "kubernetes", url: server.url, open_url: "https://console.example.com/" };
  const client = createKubernetesClient(evidenceSourceSchema.parse(definition), "cluster-token", startTimer);
  return observeObject(client, labels, { timeoutMs: 5_000 });
}

function replicaSet(name: string, owner: string): ClusterObject {
  const object = clusterObject("apps/v1", "ReplicaSet", name, { namespace: "shop" });
  return {
    ...object,
    metadata: { ...object.metadata, ownerReferences: [ownerReference("apps/v1", "Deployment", owner)] },
  };
}

const deployment = (status: object = {}) =>
  clusterObject("apps/v1", "Deployment", "checkout", {
    namespace: "shop",
    spec: { replicas: 3, selector: { matchLabels: { app: "checkout" } } },
    status,
  });

describe("observeObject", () => {
  it("observes a pod with its events and the deployment that owns it", async () => {
    server.objects = [
      crashLoop(),
      replicaSet("checkout-7d9f8b6c5", "checkout"),
      event({ last: "2026-03-01T03:01:00Z" }),
      event({ name: "other", about: { kind: "Pod", name: "other" } }),
      event({ name: "pulled", type: "Normal", reason: "Pulled", last: "2026-03-01T03:02:00Z" }),
    ];
    expect(await observe(ALERT)).toMatchObject({
      source: "prod",
      link: "https://console.example.com/",
      kind: "Pod",
      namespace: "shop",
      name: POD,
      state: "CrashLoopBackOff, not ready, 7 restarts",
      owner: "Deployment checkout",
      facts: expect.arrayContaining([expect.stringContaining("exit code 1")]),
      events: [
        { reason: "BackOff", type: "Warning", count: 7, at: "2026-03-01T03:01:00.000Z" },
        { reason: "Pulled", type: "Normal" },
      ],
    });
    expect(server.requests).toHaveLength(3);
  });

  it("observes a workload with its pods that are not healthy", async () => {
    server.objects = [
      deployment({ readyReplicas: 2 }),
      crashLoop(),
      pod({ name: "checkout-7d9f8b6c5-q8w2z" }),
      event(),
      event({
        name: "scaled",
        about: { kind: "Deployment", name: "checkout" },
        type: "Normal",
        reason: "ScalingReplicaSet",
      }),
    ];
    expect(await observe({ namespace: "shop", deployment: "checkout" })).toMatchObject({
      kind: "Deployment",
      state: "2 of 3 ready",
      facts: expect.arrayContaining([
        "1 of 2 pods not healthy",
        `Pod ${POD}: CrashLoopBackOff, not ready, 7 restarts`,
        expect.stringContaining("Last termination of checkout"),
      ]),
      events: [{ reason: "BackOff" }, { reason: "ScalingReplicaSet" }],
    });
    expect(server.requests).toHaveLength(4);
  });

  it("names the owner and its state for a pod that is gone", async () => {
    const failedCreate = {
      name: "quota",
      about: { kind: "ReplicaSet", name: "checkout-7d9f8b6c5" },
      reason: "FailedCreate",
    };
    server.objects = [
      deployment({ readyReplicas: 1 }),
      event(failedCreate),
      event({ reason: "Killing", type: "Normal" }),
    ];
    expect(await observe(ALERT)).toMatchObject({
      state: "Gone: no object of this name exists",
      owner: "Deployment checkout",
      facts: ["Deployment checkout: 1 of 3 ready"],
      events: [{ reason: "FailedCreate" }, { reason: "Killing" }],
    });
    expect(server.requests).toHaveLength(4);
    server.objects = [clusterObject("apps/v1", "StatefulSet", "db", { namespace: "shop", spec: { replicas: 2 } })];
    expect(await observe({ namespace: "shop", pod: "db-1" })).toMatchObject({ owner: "StatefulSet db" });
    expect(await observe({ namespace: "shop", pod: "gone" })).toMatchObject({ owner: null, facts: [], events: [] });
  });

  it("observes a node with the events of its namespace", async () => {
    const about = { kind: "Node", name: "worker-2" };
    server.objects = [
      clusterObject("v1", "Node", "worker-2", { status: { conditions: [{ type: "Ready", status: "False" }] } }),
      event({ namespace: "default", about, reason: "NodeNotReady" }),
    ];
    expect(await observe({ node: "worker-2" })).toMatchObject({
      kind: "Node",
      namespace: null,
      state: "Not ready",
      events: [{ reason: "NodeNotReady" }],
    });
    expect(server.requests).toHaveLength(2);
  });

  it("sends no request for an alert without an object", async () => {
    expect(await observe({ alertname: "Watchdog", job: "checkout" })).toBeNull();
    expect(await observe({ namespace: "shop", pod: "x/../../secrets" })).toBeNull();
    expect(server.requests).toEqual([]);
  });

  it("does not report an object as gone in what may be the namespace of an exporter", async () => {
    const scrape = { namespace: "shop", pod: "kube-state-metrics-1", container: "kube-state-metrics" };
    expect(await observe({ ...scrape, deployment: "checkout" })).toBeNull();
    server.objects = [deployment()];
    expect(await observe({ ...scrape, deployment: "checkout" })).toMatchObject({ state: "0 of 3 ready" });
  });

  it("leaves out what it cannot read beside the object", async () => {
    server.objects = [crashLoop()];
    server.forbidden = ["events", "replicasets"];
    expect(await observe(ALERT)).toMatchObject({
      owner: "ReplicaSet checkout-7d9f8b6c5",
      facts: expect.arrayContaining(["Its events could not be read"]),
      events: [],
    });
    server.forbidden = [];
    server.misbehave = (path) => (path.includes("replicasets") ? "hang" : undefined);
    expect(await observe(ALERT)).toMatchObject({ owner: "ReplicaSet checkout-7d9f8b6c5" });
  });

  it("fails if the object cannot be read, or is something else", async () => {
    server.objects = [crashLoop()];
    server.misbehave = (path) => (path.includes("/pods/") ? "hang" : undefined);
    await expect(observe(ALERT)).rejects.toMatchObject({ failure: "timeout" });
    server.misbehave = () => ({
      status: 200,
      body: JSON.stringify({ metadata: { name: POD }, spec: "text", items: [] }),
    });
    await expect(observe(ALERT)).rejects.toMatchObject({ failure: "invalid_response" });
    server.misbehave = () => undefined;
    server.forbidden = ["pods"];
    await expect(observe(ALERT)).rejects.toMatchObject({ failure: "refused" });
  });

  it("contains no literal value of an environment", async () => {
    server.objects = [crashLoop()];
    expect(JSON.stringify(await observe(ALERT))).not.toContain("planted");
  });
});
