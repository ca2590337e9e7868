// The real kubectl and Dejavu's client read the same objects from the stand-in, for each shape of query.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubernetesClient } from "../../../functions/adapters/evidence/kubernetes.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { k8s } from "../../../lib/checks/k8s/k8s.ts";
import { type ClusterServer, clusterServer } from "../../integration/support/servers/cluster-server.ts";
import { clusterObject, event, pod } from "../../support/cluster-objects.ts";
import { findProgram } from "../../support/debian.ts";
import { createTestTimers } from "../../support/test-timers.ts";

const run = promisify(execFile);
const kubectl = await findProgram("kubectl");
const LABELS = {
  namespace: "shop",
  pod: "checkout-7d9f8b6c5-x2x9p",
  app: "checkout",
  node: "worker-2",
  cert: "shop-tls",
};
const OBJECTS = [
  pod(),
  pod({ name: "checkout-7d9f8b6c5-q8w2z", status: { phase: "Pending" } }),
  pod({ name: "cart-0", labels: { app: "cart" }, owner: null }),
  pod({ name: "checkout-7d9f8b6c5-x2x9p", namespace: "staging" }),
  event(),
  event({ name: "cart-0.1", about: { kind: "Pod", name: "cart-0" }, type: "Normal", reason: "Pulled" }),
  clusterObject("v1", "Node", "worker-2", { status: { conditions: [] } }),
  clusterObject("apps/v1", "Deployment", "checkout", { namespace: "shop", labels: { app: "checkout" } }),
  clusterObject("v1", "ConfigMap", "flags", { namespace: "shop", data: { mode: "dark" } }),
  clusterObject("v1", "PersistentVolumeClaim", "data", { namespace: "shop", status: { phase: "Bound" } }),
  clusterObject("cert-manager.io/v1", "Certificate", "shop-tls", { namespace: "shop", spec: { secretName: "tls" } }),
];

describe.skipIf(kubectl === null)("kubectl and the client of a cluster", () => {
  let server: ClusterServer;
  beforeAll(async () => {
    server = await clusterServer({ objects: OBJECTS, token: null });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** @returns "namespace/name" of each object */
  async function readWithKubectl(command: string): Promise<string[]> {
    const args = command.split(" ").slice(1);
    const { stdout } = await run(kubectl ?? "", [
      ...args,
      "-o",
      "json",
      "--kubeconfig=/dev/null",
      `--server=${server.url}`,
      "--cache-dir=/nonexistent",
    ]);
    const output = JSON.parse(stdout);
    return namesOf(output.kind === "List" ? output.items : [output]);
  }

  async function readWithClient(query: string) {
    const definition = evidenceSourceSchema.parse({ name: "shop", kind: "kubernetes", url: server.url });
    const prepared = k8s.prepare(query, { labels: LABELS, match: null, now: new Date(0) });
    if (!prepared.ok) throw new Error(prepared.reason);
    const client = createKubernetesClient(definition, null, createTestTimers().startTimer);
    const result = await client.run(prepared.value.query, { timeoutMs: 5_000 });
    return { shown: prepared.value.shown, objects: result.kind === "objects" ? result.objects : [] };
  }

  it.each([
    ["get pod <pod> -n <namespace>", 1],
    ["kubectl get po <pod> --namespace=<namespace>", 1],
    ["get pods -n <namespace>", 3],
    ["get pods -n <namespace> -l app=<app>", 2],
    ["get pods -A -l app=<app>", 3],
    ["get pods -n <namespace> --field-selector status.phase=Pending", 1],
    ["get pods -n <namespace> -l app=<app> --field-selector spec.nodeName=<node>", 2],
    ["get events -n <namespace> --field-selector involvedObject.name=<pod>", 1],
    ["get events -A --field-selector involvedObject.name=<pod>,type=Warning", 1],
    ["get nodes <node>", 1],
    ["get nodes", 1],
    ["get deployments.apps -n <namespace>", 1],
    ["get deploy checkout -n <namespace>", 1],
    ["get configmaps -n <namespace>", 1],
    ["get cm flags -n <namespace>", 1],
    ["get pvc -n <namespace>", 1],
    ["get certificates.cert-manager.io -n <namespace>", 1],
    ["get certificates.cert-manager.io <cert> -n <namespace>", 1],
    ["get statefulsets -n <namespace>", 0],
  ])("read the same with %j", async (query, count) => {
    const { shown, objects } = await readWithClient(query);
    expect(namesOf(objects)).toEqual(await readWithKubectl(shown));
    expect(objects).toHaveLength(count);
  });

  it("send the same request for a list, but for its limit", async () => {
    server.requests.length = 0;
    await readWithClient("get pods -n <namespace> -l app=<app>");
    await readWithKubectl("kubectl get pods -n shop -l app=checkout");
    const lists = server.requests.filter((request) => request.includes("/pods")).map((request) => request.split("&"));
    const sorted = lists.map((parts) =>
      parts
        .join("?")
        .split("?")
        .filter((part) => !part.startsWith("limit="))
        .sort(),
    );
    expect(sorted[0]).toEqual(sorted.at(-1));
  });

  it("is refused by kubectl and by the client for a field that has no index", async () => {
    await expect(readWithKubectl("kubectl get pods -n shop --field-selector spec.image=x")).rejects.toThrow(
      "field label not supported",
    );
    await expect(readWithClient("get pods -n <namespace> --field-selector spec.image=x")).rejects.toThrow("400");
  });
});

function namesOf(objects: readonly unknown[]): string[] {
  return objects.map((object) => {
    const { kind, metadata } = object as { kind: string; metadata: { namespace?: string; name: string } };
    return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
  });
}
