import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKubernetesClient } from "../../../functions/adapters/evidence/kubernetes.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { clusterObject } from "../../support/cluster-objects.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type ClusterServer, clusterServer } from "../support/servers/cluster-server.ts";

const { startTimer, expireHung } = createTestTimers();
let server: ClusterServer;

beforeEach(async () => {
  server = await clusterServer();
  expireHung(server, "evidence_source");
});
afterEach(() => server[Symbol.asyncDispose]());

function list({ maxObjects = 2_000 } = {}) {
  const definition = evidenceSourceSchema.parse({ name: "prod", kind: "kubernetes", url: server.url });
  return createKubernetesClient(definition, "cluster-token", startTimer).listCluster?.({
    maxObjects,
    timeoutMs: 20_000,
  });
}

const objects = (count: number, kind = "Deployment", apiVersion = "apps/v1") =>
  Array.from({ length: count }, (_, i) => clusterObject(apiVersion, kind, `web-${i}`, { namespace: "shop" }));
const requestsFor = (plural: string) => server.requests.filter((request) => request.includes(`/${plural}?`));

describe("the list of a cluster", () => {
  it("follows pages", async () => {
    server.objects = objects(420);
    expect(await list()).toMatchObject({ objects: { length: 420 }, isComplete: true, isCut: false, forbidden: 0 });
    expect(requestsFor("deployments")).toEqual([
      "GET /apis/apps/v1/deployments?limit=250",
      expect.stringMatching(/^GET \/apis\/apps\/v1\/deployments\?limit=250&continue=/),
    ]);
  });

  it("cuts a kind with many objects, and objects of extensions before others", async () => {
    server.objects = [
      ...objects(620),
      ...objects(5, "Certificate", "cert-manager.io/v1"),
      ...objects(3, "Service", "v1"),
    ];
    const cut = await list({ maxObjects: 504 });
    expect(cut).toMatchObject({ objects: { length: 504 }, isCut: true, isComplete: true });
    const kinds = Map.groupBy(cut?.objects ?? [], ({ kind }) => kind);
    expect([...kinds].map(([kind, of]) => [kind, of.length])).toEqual([
      ["Service", 3],
      ["Deployment", 500],
      ["Certificate", 1],
    ]);
  });

  it("does not follow pages without end", async () => {
    const page = { metadata: { continue: "again" }, items: [] };
    server.misbehave = (path) => (path.includes("limit=") ? { status: 200, body: JSON.stringify(page) } : undefined);
    expect(await list()).toMatchObject({ objects: [], isCut: true });
    expect(requestsFor("deployments")).toHaveLength(20);
  });

  it("counts the kinds that it may not list, and takes one that is gone meanwhile for empty", async () => {
    server.objects = objects(1);
    server.forbidden = ["nodes", "services"];
    server.misbehave = (path) => (path.includes("/ingresses?") ? { status: 404, body: "{}" } : undefined);
    expect(await list()).toMatchObject({ forbidden: 2, isComplete: true, objects: { length: 1 } });
  });

  it("sends no further request after a failure", async () => {
    server.misbehave = (path) => (path.includes("limit=") ? { status: 503 } : undefined);
    await expect(list()).rejects.toMatchObject({ failure: "unreachable" });
    expect(server.requests.filter((request) => request.includes("limit=")).length).toBeLessThanOrEqual(5);
  });

  it.each([
    ["that never answers", "hang", "timeout"],
    ["that drips", "drip", "timeout"],
    ["with 50 MB", "flood", "invalid_response"],
    ["with a web page", { status: 200, body: "<html>" }, "invalid_response"],
    ["with a redirect", { status: 307, headers: { location: "/" } }, "refused"],
  ] as const)("fails for a server %s", async (_, misbehaviour, failure) => {
    server.misbehave = (path) => (path.includes("/services?") ? misbehaviour : undefined);
    await expect(list()).rejects.toMatchObject({ failure });
  });
});
