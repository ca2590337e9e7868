import { describe, expect, it } from "vitest";
import { prometheusDomain } from "../../../../functions/knowledge/domains/prometheus-labels.ts";
import { labelledDomain, routeDomain } from "../../../../functions/knowledge/domains/route-domain.ts";

type Labels = Readonly<Record<string, string>>;

describe("the labels of exporters", () => {
  it.each<[string, Labels, string, string]>([
    ["KubePodCrashLooping", { job: "kube-state-metrics", namespace: "shop", pod: "web-1" }, "kubernetes", "label pod"],
    [
      "KubeDeploymentReplicasMismatch",
      { job: "kube-state-metrics", namespace: "shop", deployment: "web" },
      "kubernetes",
      "labels namespace and deployment",
    ],
    [
      "KubeDaemonSetRolloutStuck",
      { job: "kube-state-metrics", namespace: "kube-system", daemonset: "proxy" },
      "kubernetes",
      "labels namespace and daemonset",
    ],
    [
      "KubeNodeNotReady",
      { job: "kube-state-metrics", node: "worker-3", condition: "Ready" },
      "kubernetes",
      "label job=kube-state-metrics",
    ],
    ["CPUThrottlingHigh", { namespace: "shop", container: "checkout" }, "kubernetes", "labels namespace and container"],
    ["KubeletDown", { job: "kubelet" }, "kubernetes", "label job=kubelet"],
    ["PostgreSQLDeadLocks", { datname: "orders", instance: "db:9187" }, "postgres", "label datname"],
    ["PostgreSQLDown", { job: "postgres-exporter", pod: "pg-0" }, "postgres", "label job=postgres-exporter"],
    ["PgBouncerWaiting", { job: "pgbouncer" }, "postgres", "label job=pgbouncer"],
    ["TargetDown", { job: "monitoring/pg" }, "postgres", "label job=monitoring/pg"],
    ["PodmanContainerDown", { job: "podman-exporter", name: "web" }, "podman", "label job=podman-exporter"],
  ])("of %s decide: %j", (_name, labels, name, rule) => {
    expect(prometheusDomain(labels)).toEqual({ name, rule });
    expect(routeDomain(labels, "docker compose", "")).toEqual({ name, rule, isDecided: true });
  });

  it.each<Labels>([
    {},
    { job: "node-exporter", instance: "10.0.0.7:9100" },
    { namespace: "shop" },
    { deployment: "blue" },
    { container: "web" },
    { pod: "" },
    { job: "jpgstore" },
    { job: "kubernetes-service-endpoints-of-somebody-else" },
  ])("decide nothing: %j", (labels) => {
    expect(prometheusDomain(labels)).toBeUndefined();
  });

  it("yield to the labels of a domain or a technology", () => {
    const watched = { pod: "web-1", datname: "orders" };
    expect(labelledDomain({ ...watched, domain: "docker" })?.rule).toBe("label domain=docker");
    expect(labelledDomain({ ...watched, container_runtime: "podman" })?.rule).toBe("label container_runtime=podman");
    expect(labelledDomain({ ...watched, domain: "shop.example" })?.rule).toBe("label datname");
  });
});
