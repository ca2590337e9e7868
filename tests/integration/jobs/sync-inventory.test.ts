// The job that lists clusters into the inventory, against the stand-in for an API server.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { putSource } from "../../../functions/evidence-sources/source-records.ts";
import { runJob } from "../../../functions/jobs/run-job.ts";
import { syncClusters } from "../../../functions/jobs/sync-inventory.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { clusterObject, event, pod } from "../../support/cluster-objects.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { type ClusterServer, clusterServer } from "../support/servers/cluster-server.ts";
import { documentIds, HOUR_MS, indexedIds, MINUTE_MS } from "./support.ts";

const harness = createHarness({ MODEL: "none", EVIDENCE_CLUSTER_TOKEN: "cluster-token" });
const { services, clock, log } = harness;
let server: ClusterServer;

const deployment = (name: string, labels: Record<string, string> = { app: name }) =>
  clusterObject("apps/v1", "Deployment", name, { namespace: "shop", labels });

beforeEach(async () => {
  await emptyStores(services);
  await sql`delete from public.evidence_sources`;
  await sql`delete from public.inventory_listings`;
  log.length = 0;
  server = await clusterServer({ objects: [deployment("checkout"), clusterObject("v1", "Node", "worker-2")] });
});
afterEach(() => server[Symbol.asyncDispose]());

async function addCluster(
  name: string,
  { url = server.url, credential = "EVIDENCE_CLUSTER_TOKEN" } = {},
): Promise<void> {
  const definition = evidenceSourceSchema.parse({ name, kind: "kubernetes", url, credential });
  await putSource(services.database, definition, clock.now());
}

function sync() {
  clock.advance(30 * MINUTE_MS);
  return syncClusters(services);
}

const instances = () => documentIds("instances");

describe("the job sync-inventory", () => {
  it("sends no request and claims nothing without a cluster among the sources", async () => {
    const definition = evidenceSourceSchema.parse({ name: "metrics", kind: "prometheus", url: server.url });
    await putSource(services.database, definition, clock.now());
    expect(await sync()).toEqual({ clusters: 0, upserted: 0, unchanged: 0, deleted: 0, failed: 0 });
    expect(server.requests).toEqual([]);
    expect(await sql`select from public.inventory_listings`).toHaveLength(0);
  });

  it("lists kinds and objects, and follows changes", async () => {
    await addCluster("prod");
    const first = await sync();
    expect(first).toMatchObject({ clusters: 1, deleted: 0, failed: 0, unchanged: 0 });
    expect(await instances()).toEqual([
      "cluster:prod//v1/Node/worker-2",
      "cluster:prod/shop/apps/v1/Deployment/checkout",
    ]);
    expect(await indexedIds(services, "instances")).toEqual(await instances());
    expect(await documentIds("capabilities")).toEqual(
      expect.arrayContaining(["cluster:prod/apps/v1/Deployment", "cluster:prod/cert-manager.io/v1/Certificate"]),
    );
    expect(await documentIds("capabilities")).toHaveLength(server.resources.length);

    expect(await sync()).toEqual({ clusters: 1, upserted: 0, unchanged: first.upserted, deleted: 0, failed: 0 });

    server.objects = [deployment("checkout", { app: "checkout", team: "payments" }), deployment("cart")];
    expect(await sync()).toMatchObject({ upserted: 2, deleted: 1 });
    expect(await instances()).toEqual([
      "cluster:prod/shop/apps/v1/Deployment/cart",
      "cluster:prod/shop/apps/v1/Deployment/checkout",
    ]);
    const search = {
      collection: "instances",
      query: "payments",
      filters: { op: "equals", field: "cluster", value: "prod" },
    };
    const response = await harness.post("/v1/search", search);
    expect(await response.text()).toContain("team=payments");
  });

  it("describes a kind by its place and its abilities", async () => {
    await addCluster("prod");
    await sync();
    const rows = await sql`select d.metadata from public.documents d where d.id in
      ('cluster:prod/apps/v1/Deployment', 'cluster:prod/cert-manager.io/v1/Certificate', 'cluster:prod/v1/Node') order by d.id`;
    expect(rows.map(({ metadata }) => metadata)).toMatchObject([
      {
        kind: "Deployment",
        apiVersion: "apps/v1",
        apiGroup: "apps",
        scope: "Namespaced",
        isCRD: false,
        complexity: "medium",
      },
      { kind: "Certificate", isCRD: true, complexity: "low", cluster: "prod" },
      { kind: "Node", apiVersion: "v1", apiGroup: "", scope: "Cluster" },
    ]);
  });

  it("requests neither content nor objects that do not stay", async () => {
    server.objects.push(
      pod(),
      event(),
      clusterObject("v1", "Secret", "planted-secret", { namespace: "shop", data: { a: "planted" } }),
      clusterObject("v1", "ConfigMap", "flags", { namespace: "shop", data: { a: "planted" } }),
      clusterObject("coordination.k8s.io/v1", "Lease", "leader", { namespace: "shop" }),
      clusterObject("cert-manager.io/v1", "Certificate", "tls", { namespace: "shop", spec: { key: "planted" } }),
    );
    await addCluster("prod");
    await sync();
    expect(await instances()).toContain("cluster:prod/shop/cert-manager.io/v1/Certificate/tls");
    const lists = server.requests.filter((request) => request.includes("limit="));
    expect(lists.filter((request) => /secrets|configmaps|events|leases|pods|replicasets/.test(request))).toEqual([]);
    const rows = await sql`select d.body from public.documents d where d.body ilike '%planted%'`;
    expect(rows).toHaveLength(0);
  });

  it("removes nothing when the cluster, its discovery or one list fails", async () => {
    server.objects = [deployment("checkout"), clusterObject("v1", "Service", "cart", { namespace: "shop" })];
    await addCluster("prod");
    await sync();
    const before = await instances();
    server.objects = [deployment("checkout")];
    for (const [failing, status] of [
      ["/apis/apps/v1/deployments", 503],
      ["/api/v1", 500],
      ["/apis", 500],
      ["/api/v1/services", 401],
    ] as const) {
      server.misbehave = (path) => (path.split("?")[0] === failing ? { status } : undefined);
      await expect(sync()).rejects.toMatchObject({ dependency: "evidence_source" });
      expect(await instances()).toEqual(before);
    }
    server.misbehave = (path) => (path.startsWith("/api/v1/nodes") ? "cut" : undefined);
    await expect(sync()).rejects.toMatchObject({ failure: "unreachable" });
    expect(await instances()).toEqual(before);
    expect(log.filter(({ event: name }) => name === "inventory.failed")).toHaveLength(5);
    server.misbehave = () => undefined;
    expect(await sync()).toMatchObject({ clusters: 1, deleted: 1 });
    expect(await instances()).toEqual(["cluster:prod/shop/apps/v1/Deployment/checkout"]);
  });

  it("adds what it can and removes nothing while the server of an extension is unavailable", async () => {
    server.objects.push(clusterObject("cert-manager.io/v1", "Certificate", "tls", { namespace: "shop" }));
    await addCluster("prod");
    await sync();
    server.objects = [deployment("cart")];
    server.misbehave = (path) => (path === "/apis/cert-manager.io/v1" ? { status: 503 } : undefined);
    expect(await sync()).toMatchObject({ clusters: 0, failed: 1, upserted: 1, deleted: 0 });
    expect(await instances()).toContain("cluster:prod/shop/cert-manager.io/v1/Certificate/tls");
    expect(log).toContainEqual(
      expect.objectContaining({ event: "inventory.partial", fields: expect.objectContaining({ incomplete: true }) }),
    );
  });

  it("skips a kind that the credential may not list", async () => {
    server.forbidden = ["nodes"];
    await addCluster("prod");
    expect(await sync()).toMatchObject({ clusters: 1, failed: 0 });
    expect(await instances()).toEqual(["cluster:prod/shop/apps/v1/Deployment/checkout"]);
  });

  it("keeps clusters apart, and one that fails does not hinder another", async () => {
    await using other = await clusterServer({ objects: [deployment("checkout"), deployment("search")] });
    await addCluster("prod");
    await addCluster("stage", { url: other.url });
    expect(await sync()).toMatchObject({ clusters: 2, failed: 0 });
    expect(await instances()).toContain("cluster:stage/shop/apps/v1/Deployment/search");
    server.misbehave = () => ({ status: 503 });
    other.objects = [deployment("checkout")];
    expect(await sync()).toMatchObject({ clusters: 1, failed: 1, deleted: 1 });
    expect(await instances()).toEqual([
      "cluster:prod//v1/Node/worker-2",
      "cluster:prod/shop/apps/v1/Deployment/checkout",
      "cluster:stage/shop/apps/v1/Deployment/checkout",
    ]);
  });

  it("begins with the cluster that was listed the longest time ago", async () => {
    for (const name of ["a", "b", "c", "d"]) await addCluster(name);
    expect(await sync()).toMatchObject({ clusters: 3 });
    await sync();
    const rows = await sql`select l.cluster from public.inventory_listings l order by l.tried_at, l.cluster`;
    expect(rows.map(({ cluster }) => cluster)).toEqual(["c", "a", "b", "d"]);
  });

  it("lists a cluster once when two runs overlap, and again after the claim of a run that died", async () => {
    await addCluster("prod");
    clock.advance(HOUR_MS);
    const results = await Promise.all([syncClusters(services), syncClusters(services)]);
    expect(results.map(({ clusters }) => clusters).sort()).toEqual([0, 1]);
    expect(server.requests.filter((request) => request === "GET /apis")).toHaveLength(1);
    await sql`update public.inventory_listings set claimed_until = ${new Date(clock.now().getTime() + HOUR_MS)}`;
    expect(await sync()).toMatchObject({ clusters: 0 });
    clock.advance(HOUR_MS);
    expect(await sync()).toMatchObject({ clusters: 1 });
  });

  it("fails with the reason of a missing secret, a wrong one, and a server that never answers", async () => {
    await addCluster("prod", { credential: "EVIDENCE_MISSING" });
    await expect(sync()).rejects.toThrow("the Worker has no secret EVIDENCE_MISSING");
    await addCluster("prod");
    server.token = "another";
    await expect(sync()).rejects.toThrow("401");
    expect(server.requests).toHaveLength(1);
  });

  it("is recorded as a run of a job", async () => {
    await addCluster("prod");
    clock.advance(30 * MINUTE_MS);
    const { run } = await runJob(services, "sync-inventory", { trigger: "cron", runInBackground: () => {} });
    expect(run).toMatchObject({ error: null, counts: { clusters: 1, failed: 0 } });
    server.misbehave = () => "cut";
    clock.advance(30 * MINUTE_MS);
    const failed = await runJob(services, "sync-inventory", { trigger: "cron", runInBackground: () => {} });
    expect(failed.run).toMatchObject({ error: "evidence_source unreachable" });
  });
});
