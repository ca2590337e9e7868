import { describe, expect, it } from "vitest";
import { objectTargetOf } from "../../../../functions/investigation/live/object-target.ts";

const METRICS_SCRAPE = {
  job: "kube-state-metrics",
  pod: "kube-state-metrics-6c9d-x7",
  container: "kube-state-metrics",
};

describe("objectTargetOf", () => {
  it.each<[Record<string, string>, string | null]>([
    [{ namespace: "shop", pod: "checkout-1", container: "app", job: "checkout" }, "pods shop/checkout-1"],
    [{ namespace: "shop", pod: "db-0", job: "kubelet", node: "worker-2" }, "pods shop/db-0"],
    [{ ...METRICS_SCRAPE, namespace: "shop", deployment: "checkout" }, "deployments shop/checkout"],
    [{ ...METRICS_SCRAPE, namespace: "ops", exported_namespace: "shop", exported_pod: "db-0" }, "pods shop/db-0"],
    [{ namespace: "ops", pod: "agent-x", exported_namespace: "shop", deployment: "web" }, "deployments shop/web"],
    [{ ...METRICS_SCRAPE, namespace: "shop", job_name: "backup-1" }, "jobs shop/backup-1"],
    [{ namespace: "shop", persistentvolumeclaim: "data", node: "worker-2" }, "persistentvolumeclaims shop/data"],
    [{ namespace: "shop", statefulset: "db" }, "statefulsets shop/db"],
    [{ namespace: "shop", workload: "web", workload_type: "Deployment" }, "deployments shop/web"],
    [{ node: "worker-2", job: "kubelet" }, "nodes /worker-2"],
    [{ k8s_namespace_name: "shop", k8s_pod_name: "web-1" }, "pods shop/web-1"],
    [{ "k8s.namespace.name": "shop", "k8s.deployment.name": "web" }, "deployments shop/web"],
    [{ kube_namespace: "shop", kube_deployment: "web" }, "deployments shop/web"],
    [{ namespace: "shop", job: "checkout" }, null],
    [{ pod: "checkout-1" }, null],
    [{ namespace: "shop", pod: "" }, null],
    [{ namespace: "shop", pod: "x/../../secrets" }, null],
    [{ namespace: "shop/../x", pod: "checkout-1" }, null],
    [{ instance: "10.0.0.1:9100", job: "node-exporter", pod: "node-exporter-x", namespace: "ops" }, null],
    [{}, null],
  ])("reads %j as %s", (labels, expected) => {
    const target = objectTargetOf(labels);
    expect(target && `${target.resource} ${target.namespace ?? ""}/${target.name}`).toBe(expected);
  });

  it("doubts a namespace that may be that of the exporter", () => {
    expect(objectTargetOf({ ...METRICS_SCRAPE, namespace: "shop", deployment: "web" })?.isUncertain).toBe(true);
    expect(objectTargetOf({ namespace: "shop", pod: "web-1" })?.isUncertain).toBe(false);
  });
});
