import { describe, expect, it } from "vitest";
import {
  changeNames,
  incidentNames,
  labelledScope,
  searchedNames,
} from "../../../functions/surroundings/service-names.ts";

const target = (name: string) => incidentNames({ target: name, labels: {} });
const labelled = (labels: Record<string, string>) => incidentNames({ target: null, labels });

describe("the names of an incident", () => {
  it.each([
    ["checkout", ["checkout"]],
    ["Checkout", ["checkout"]],
    ["Checkout Service", ["checkout-service"]],
    ["shop/checkout", ["checkout"]],
    ["registry.example:5000/shop/checkout:1.2.3", ["checkout"]],
    ["checkout:8080", ["checkout"]],
    ["http://checkout:8080/health", ["checkout"]],
    ["checkout.shop.svc.cluster.local", ["checkout"]],
    ["db1.eu.example.com", ["db1.eu.example.com", "db1"]],
    ["10.0.0.7:9100", ["10.0.0.7"]],
    ["checkout-7d9f8b6c5-x2x4z", ["checkout-7d9f8b6c5-x2x4z", "checkout"]],
    ["checkout-7d9f8b6c5", ["checkout-7d9f8b6c5", "checkout"]],
    ["orders-db-0", ["orders-db-0", "orders-db"]],
    ["log-shipper-5xk2p", ["log-shipper-5xk2p", "log-shipper"]],
    ["nightly-backup-28390210", ["nightly-backup-28390210", "nightly-backup"]],
    ["payments-processor", ["payments-processor"]],
    ["web-cache", ["web-cache"]],
    ["[REDACTED_IP]", []],
    ["", []],
    ["/", []],
  ])("come from the target %s", (name, names) => {
    expect(target(name)).toEqual(names);
  });

  it("come from labels of services and workloads, with and without generated ends", () => {
    const labels = {
      alertname: "CrashLooping",
      namespace: "shop",
      pod: "checkout-7d9f8b6c5-x2x4z",
      "app.kubernetes.io/name": "cart",
      app_kubernetes_io_instance: "release-7",
      exported_service: "orders",
      severity: "critical",
    };
    expect(labelled(labels)).toEqual(["checkout-7d9f8b6c5-x2x4z", "checkout", "cart", "orders"]);
  });

  it("keep a number that is no generated end: a service of that name may exist", () => {
    expect(labelled({ service: "orders-2" })).toEqual(["orders-2"]);
  });

  it("are bounded", () => {
    const labels = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`app.part${i}.name`, `service-${i}-name`]));
    expect(labelled(labels)).toHaveLength(24);
    expect(target("x".repeat(5_000))[0]).toHaveLength(200);
  });
});

describe("the names of a change", () => {
  it("come from the service, its labels and its package", () => {
    const labels = { deployment: "checkout-web", team: "payments" };
    const names = changeNames("shop/checkout", labels, ["service/checkout", "pkg:oci/checkout-image@sha256%3A0b31"]);
    expect(names).toEqual(["checkout", "checkout-image", "checkout-web"]);
  });

  it("are found by any form of the name", () => {
    for (const form of ["checkout", "Shop/Checkout", "checkout:1.2", "checkout.shop.svc"])
      expect(searchedNames(form)).toEqual(["checkout"]);
  });
});

describe("the scope", () => {
  it("has usual names of environments in one spelling", () => {
    for (const environment of ["production", "Prod", "prod-eu", "PRD", "live"])
      expect(labelledScope({}, { environment })).toEqual({ tier: "production" });
    expect(labelledScope({ env: "stg" })).toEqual({ tier: "staging" });
    expect(labelledScope({ env: "preview production" })).toEqual({ tier: "preview" });
  });

  it("keeps any other name of an environment apart from these", () => {
    expect(labelledScope({}, { environment: "Customer A" })).toEqual({ environment: "customer-a" });
  });

  it("has the namespace and the cluster, those of the object before those of its exporter", () => {
    const labels = { namespace: "monitoring", exported_namespace: "Shop", cluster: "eu-1" };
    expect(labelledScope(labels)).toEqual({ namespace: "shop", cluster: "eu-1" });
  });

  it("reads the namespace from the service's name, but not from a kind or an address", () => {
    expect(labelledScope({}, { service: "shop/checkout" })).toEqual({ namespace: "shop" });
    expect(labelledScope({}, { service: "checkout.shop.svc.cluster.local" })).toEqual({ namespace: "shop" });
    expect(labelledScope({}, { service: "deployment/checkout" })).toEqual({});
    expect(labelledScope({}, { service: "registry.example/shop/checkout" })).toEqual({});
  });
});
