import { describe, expect, it } from "vitest";
import { k8s } from "../../../../lib/checks/k8s/k8s.ts";

const LABELS = { namespace: "shop", pod: "checkout-7d9f8b6c5-x2x9p", app: "checkout", node: "worker-2" };

function prepare(query: string, { labels = LABELS as Record<string, string>, match = null as string[] | null } = {}) {
  return k8s.prepare(query, { labels, match, now: new Date(0) });
}

function requestOf(query: string) {
  const prepared = prepare(query);
  if (!prepared.ok) throw new Error(prepared.reason);
  return prepared.value.query.language === "k8s" ? prepared.value.query.request : null;
}

describe("k8s", () => {
  it.each([
    ["get pod <pod> -n <namespace>", { resource: "pods", namespace: "shop", name: "checkout-7d9f8b6c5-x2x9p" }],
    ["kubectl get Pod <pod> --namespace <namespace>", { resource: "pods", name: "checkout-7d9f8b6c5-x2x9p" }],
    ["get -n <namespace> pods", { resource: "pods", namespace: "shop", name: null }],
    ["get po -n=kube-system -l k8s-app=kube-dns", { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } }],
    ["get pods -n <namespace> -l app=<app>,tier==web", { labels: { app: "checkout", tier: "web" } }],
    ["get pods -n <namespace> -l 'app=<app>'", { labels: { app: "checkout" } }],
    [
      "get pods -A -l app.kubernetes.io/name=<app>",
      { namespace: null, labels: { "app.kubernetes.io/name": "checkout" } },
    ],
    [
      "get events -n <namespace> --field-selector=involvedObject.name=<pod>,type=Warning",
      { resource: "events", fields: { "involvedObject.name": "checkout-7d9f8b6c5-x2x9p", type: "Warning" } },
    ],
    ["get nodes <node>", { resource: "nodes", namespace: null, name: "worker-2" }],
    ["get nodes", { resource: "nodes", name: null }],
    ["get hpa -n <namespace>", { resource: "horizontalpodautoscalers" }],
    ["get deployment.apps <app> -n <namespace>", { resource: "deployments.apps", name: "checkout" }],
    ["get certificates.cert-manager.io -n <namespace>", { resource: "certificates.cert-manager.io" }],
    ["get clusterissuers.cert-manager.io <app>", { namespace: null, name: "checkout" }],
    ["get cm -n <namespace>", { resource: "configmaps" }],
  ])("reads %j", (query, expected) => {
    expect(k8s.validate(query)).toEqual([]);
    expect(requestOf(query)).toMatchObject(expected);
  });

  it("shows the command that a person runs", () => {
    const prepared = prepare("get deploy -A -l app=<app> --field-selector metadata.name=<app>");
    expect(prepared.ok && prepared.value.shown).toBe(
      "kubectl get deployments -A -l app=checkout --field-selector metadata.name=checkout",
    );
  });

  it.each([
    ["", "The query is empty"],
    ["describe pod <pod> -n <namespace>", 'Only "get" is allowed'],
    ["get", "Name what to get"],
    ["get pods", "add -n <namespace>"],
    ["get pods -A", "reads all namespaces"],
    ["get pods -A -l app=checkout", "reads all namespaces"],
    ["get certificates.cert-manager.io", "reads all namespaces"],
    ["get pod <pod> -A", "A name needs its namespace"],
    ["get pods -A -n <namespace>", "-n or -A, not both"],
    ["get pod <pod> -n <namespace> -l app=<app>", "a name or a selector, not both"],
    ["get pod a b -n <namespace>", "Name one object"],
    ["get certificates -n <namespace>", "Write it with its group"],
    ["get deployments.v1.apps -n <namespace>", "Leave out the version"],
    ["get pods,services -n <namespace>", "Get one resource"],
    ["get pods -n <namespace> -o json", 'The flag "-o" is not allowed'],
    ["get pods -n <namespace> -l app", "write key=value"],
    ["get pods -n <namespace> -l app!=<app>", "write key=value"],
    ["get pods -n <namespace> -l app=<app>,app=cart", "Two conditions are on the same label"],
    ["get pods -n <namespace> -n shop", "occurs twice"],
    ["get pods -l app=<app> -n", "needs a value"],
    ["get pod checkout-<pod> -n <namespace>", "A placeholder stands for a whole value"],
  ])("has a problem with %j", (query, message) => {
    expect(k8s.validate(query)).toEqual([{ line: 1, message: expect.stringContaining(message) }]);
    expect(prepare(query)).toEqual({ ok: false, reason: expect.stringContaining(message) });
  });

  it("names the line of the problem", () => {
    expect(k8s.validate("\n\nget pods\n")).toMatchObject([{ line: 3 }]);
    expect(k8s.validate("get pods -n <namespace>\nget pods -n <namespace>")).toMatchObject([
      { message: "A query is one line." },
    ]);
  });

  it("is not run without a label that it names, or that must exist", () => {
    const missing = (name: string) => ({ ok: false, reason: `The alert has no label "${name}".` });
    expect(prepare("get pod <pod> -n <namespace>", { labels: { namespace: "shop" } })).toEqual(missing("pod"));
    expect(prepare("get pods -n <namespace>", { labels: { namespace: "" } })).toEqual(missing("namespace"));
    expect(prepare("get nodes", { match: ["zone"] })).toEqual(missing("zone"));
    expect(prepare("get nodes", { match: ["zone?", "node"] })).toMatchObject({ ok: true });
  });
});
