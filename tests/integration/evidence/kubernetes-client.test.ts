import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EvidenceClient } from "../../../functions/adapters/evidence/client.ts";
import { createKubernetesClient } from "../../../functions/adapters/evidence/kubernetes.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import type { ObjectRequest } from "../../../lib/checks/scope/query.ts";
import { clusterObject, pod } from "../../support/cluster-objects.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type ClusterServer, clusterServer, type Misbehaviour } from "../support/servers/cluster-server.ts";

const CALL = { timeoutMs: 5_000 };
const TOKEN = "planted-cluster-token-8d1f";
const { startTimer, expireHung } = createTestTimers();
let server: ClusterServer;

beforeEach(async () => {
  server = await clusterServer({ token: TOKEN });
  expireHung(server, "evidence_source");
});
afterEach(() => server[Symbol.asyncDispose]());

function client(
  overrides: { readonly path?: string; readonly token?: string | null; readonly open?: string } = {},
): EvidenceClient {
  const { path = "", token = TOKEN, open = null } = overrides;
  const definition = { name: "shop", kind: "kubernetes", url: server.url + path, open_url: open };
  return createKubernetesClient(evidenceSourceSchema.parse(definition), token, startTimer);
}

function read(request: Partial<ObjectRequest>, call = CALL) {
  return client().run(queryOf(request), call);
}

function queryOf(request: Partial<ObjectRequest>) {
  const whole = { resource: "pods", namespace: "shop", name: null, labels: {}, fields: {}, ...request };
  return { language: "k8s", request: whole } as const;
}

const pods = (count: number) => Array.from({ length: count }, (_, i) => pod({ name: `checkout-${i}` }));

describe("the client of a cluster", () => {
  it("reads objects with their kind", async () => {
    server.objects = [pod(), pod({ namespace: "staging" })];
    expect(await read({})).toMatchObject({
      kind: "objects",
      objects: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "checkout-7d9f8b6c5-x2x9p", namespace: "shop" } }],
    });
  });

  it("sends its requests below the path of the URL, with its token and no other method than GET", async () => {
    await client({ path: "/k8s/clusters/c-1/" })
      .run(queryOf({}), CALL)
      .catch(() => null);
    expect(server.requests).toEqual(["GET /k8s/clusters/c-1/api/v1/namespaces/shop/pods?limit=101"]);
  });

  it("is refused a credential that no header may hold, without the value", async () => {
    const result = client({ token: "planted-first\nplanted-second" }).run(queryOf({}), CALL);
    await expect(result).rejects.toMatchObject({ failure: "refused", message: expect.not.stringContaining("planted") });
  });

  it("returns no values of config maps, environments, and no history of fields", async () => {
    const applied = { "kubectl.kubernetes.io/last-applied-configuration": "planted-applied" };
    const flags = clusterObject("v1", "ConfigMap", "flags", { namespace: "shop", data: { mode: "planted-data" } });
    const deployment = clusterObject("apps/v1", "Deployment", "checkout", {
      namespace: "shop",
      spec: { template: { spec: pod().spec } },
    });
    server.objects = [
      pod({ container: { envFrom: [{ secretRef: { name: "checkout" } }] } }),
      { ...flags, metadata: { ...flags.metadata, annotations: applied }, binaryData: { key: "planted-binary" } },
      deployment,
    ];
    const results = await Promise.all(["pods", "configmaps", "deployments"].map((resource) => read({ resource })));
    const text = JSON.stringify([...results, await read({ resource: "configmaps", name: "flags" })]);
    expect(text).not.toMatch(/planted|managedFields|f:status/);
    expect(text).toContain("DB_PASSWORD");
    expect(text).toContain("secretKeyRef");
    expect(text.match(/"kind":"ConfigMap"/g)).toHaveLength(2);
  });

  it("removes values also if the server ignores that metadata alone was requested", async () => {
    const secret = {
      metadata: { name: "flags", namespace: "shop" },
      data: { a: "planted" },
      stringData: { b: "planted" },
    };
    server.misbehave = () => ({ status: 200, body: JSON.stringify({ kind: "ConfigMapList", items: [secret] }) });
    expect(await read({ resource: "configmaps" })).toEqual({
      kind: "objects",
      objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: secret.metadata }],
    });
  });

  it.each(["secrets", "secret", "Secrets", "secrets.example.com"])("never reads %s", async (resource) => {
    await expect(read({ resource })).rejects.toMatchObject({ failure: "refused" });
    expect(server.requests).toEqual([]);
  });

  it.each([
    { resource: "../secrets" },
    { resource: "pods/exec" },
    { namespace: "x/../../secrets" },
    { namespace: "" },
    { name: ".." },
    { name: "x?watch=true" },
    { labels: { app: "x,tier!=y" } },
    { labels: { "a=b,c": "d" } },
    { fields: { "metadata.name": "x,metadata.name!=y" } },
    { fields: { "metadata.name!": "x" } },
    { fields: { "metadata.name": "" } },
  ])("refuses %j before a request", async (request) => {
    await expect(read(request)).rejects.toMatchObject({ failure: "refused" });
    expect(server.requests).toEqual([]);
  });

  it("finds other resources by discovery, once a minute", async () => {
    server.objects = [clusterObject("cert-manager.io/v1", "Certificate", "tls", { namespace: "shop" })];
    const reader = client();
    for (const resource of ["certificates.cert-manager.io", "cert.cert-manager.io", "certificate.cert-manager.io"])
      expect(await reader.run(queryOf({ resource }), CALL)).toMatchObject({ objects: [{ kind: "Certificate" }] });
    expect(server.requests.filter((request) => !request.includes("limit="))).toEqual([
      "GET /apis/cert-manager.io",
      "GET /apis/cert-manager.io/v1",
    ]);
    await expect(reader.run(queryOf({ resource: "widgets.example.com" }), CALL)).rejects.toThrow(
      "the server does not have this resource",
    );
  });

  it("returns no object for one that is gone, and fails for a path that the server does not have", async () => {
    expect(await read({ name: "gone" })).toEqual({ kind: "objects", objects: [] });
    server.resources = server.resources.filter(({ name }) => name !== "pods");
    await expect(read({ name: "gone" })).rejects.toMatchObject({ failure: "refused" });
    await expect(read({})).rejects.toMatchObject({ failure: "refused" });
  });

  it("counts what is too much, and never follows a page", async () => {
    server.objects = pods(100);
    expect(await read({}, { timeoutMs: 20_000 })).toMatchObject({ objects: { length: 100 } });
    server.objects = pods(412);
    expect(await read({})).toMatchObject({
      kind: "too_large",
      size: "412 objects",
      hint: expect.stringContaining("-l"),
    });
    const selected = await read({ labels: { app: "checkout" } });
    expect(selected).toMatchObject({ kind: "too_large", size: "more than 100 objects" });
    server.objects = pods(101);
    expect(await read({ labels: { app: "checkout" } })).toMatchObject({ size: "101 objects" });
    expect(server.requests).toHaveLength(4);
  });

  it("does not read more than 256 KB", async () => {
    server.objects = [pod({ spec: { note: "ü".repeat(140_000) } })];
    const tooLarge = { kind: "too_large", size: "more than 256 KB" };
    expect(await read({})).toMatchObject(tooLarge);
    expect(await read({ name: "checkout-7d9f8b6c5-x2x9p" })).toMatchObject(tooLarge);
    server.misbehave = () => "flood";
    expect(await read({})).toMatchObject(tooLarge);
  });

  it.each<[string, Misbehaviour, string]>([
    ["a server that never answers", "hang", "timeout"],
    ["a byte a second", "drip", "timeout"],
    ["a lost connection", "cut", "unreachable"],
    ["a redirect", { status: 302, headers: { location: "http://169.254.169.254/" } }, "refused"],
    ["a server error", { status: 503 }, "unreachable"],
    ["too many requests", { status: 429, headers: { "retry-after": "7" } }, "busy"],
    ["a web page", { status: 200, body: "<html>planted" }, "invalid_response"],
    ["an array", { status: 200, body: "[]" }, "invalid_response"],
    ["a list without items", { status: 200, body: '{"kind":"PodList"}' }, "invalid_response"],
    ["a list of texts", { status: 200, body: '{"items":["planted"]}' }, "invalid_response"],
    ["an error", { status: 422, body: '{"message":"planted"}' }, "refused"],
  ])("fails for %s", async (_, misbehaviour, failure) => {
    server.misbehave = () => misbehaviour;
    const error = await read({}).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ dependency: "evidence_source", failure });
    expect(String(error)).not.toMatch(/planted|shop/);
    expect(server.requests).toHaveLength(1);
  });

  it("refuses another object than the one of the request", async () => {
    server.misbehave = () => ({ status: 200, body: JSON.stringify(pod({ name: "other" })) });
    await expect(read({ name: "checkout" })).rejects.toMatchObject({ failure: "invalid_response" });
  });

  it("returns an object that is nested without end, cut", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    server.misbehave = () => ({ status: 200, body: `{"items":[{"metadata":{"name":"x"},"spec":${deep}}]}` });
    expect(await read({})).toMatchObject({ kind: "objects", objects: [{ kind: "Pod", metadata: { name: "x" } }] });
  });

  it("is refused without its token, or without permission", async () => {
    await expect(client({ token: "wrong" }).run(queryOf({}), CALL)).rejects.toThrow("401");
    server.forbidden = ["pods"];
    await expect(read({})).rejects.toThrow("403");
  });

  it("checks the server and the token", async () => {
    expect(await client().ping(CALL)).toEqual({ version: "v1.31.0" });
    await expect(client({ token: "wrong" }).ping(CALL)).rejects.toThrow("401");
    await expect(client({ token: null }).ping(CALL)).rejects.toThrow("401");
    server.misbehave = () => ({ status: 404, body: "404 page not found" });
    await expect(client().ping(CALL)).rejects.toThrow("is the URL that of an API server?");
  });

  it("stops when the caller disconnects", async () => {
    server.misbehave = () => "hang";
    const caller = new AbortController();
    const result = read({}, { ...CALL, ...{ cancelled: caller.signal } });
    caller.abort();
    await expect(result).rejects.toMatchObject({ failure: "cancelled" });
  });

  it("links to the page of the cluster, if it has one", () => {
    expect(client().linkTo(queryOf({}))).toBeNull();
    expect(client({ open: "https://console.example.com/" }).linkTo(queryOf({}))).toBe("https://console.example.com/");
  });
});
