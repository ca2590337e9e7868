// Where a storm of alerts began.

import { describe, expect, it } from "vitest";
import { originOf } from "../../../functions/surroundings/storm.ts";

const START = Date.parse("2026-03-01T03:00:00Z");

/** @param minute after the first one */
const alert = (incident_id: string, minute: number, alertname: string, labels: Record<string, string>) => ({
  incident_id,
  alertname,
  starts_at: new Date(START + minute * 60_000),
  labels,
});
const pod = (name: string, node: string) => ({ namespace: "shop", pod: name, node });

/** A host without memory: its pods restart, and the services that call them answer slowly. */
const HOST_STORM = [
  ...Array.from({ length: 12 }, (_, i) => alert("host", i < 6 ? 0 : 1, `NodeMetric${i}`, { instance: "node-5:9100" })),
  ...["cart-0", "orders-0", "mail-0", "pay-0"].map((name) => alert("pods", 2, "PodRestarts", pod(name, "node-5"))),
  alert("slow", 3, "SlowAnswers", { namespace: "shop", service: "frontend" }),
];

describe("the origin of a storm", () => {
  it("is the host whose pods fail, seen from an incident of a victim", () => {
    expect(originOf("slow", HOST_STORM)).toMatchObject({
      level: "host",
      object: "node-5",
      incident_id: "host",
      alerts: 17,
      objects: 6,
      since: "2026-03-01T03:00:00.000Z",
    });
  });

  it("is the service all of whose instances fail, and not the caller that complains", () => {
    const calls = { client: "frontend", server: "cart" };
    const storm = [
      ...["cart-0", "cart-1", "cart-2"].flatMap((name) =>
        ["CpuThrottled", "ThreadsHigh", "MemoryHigh", "ErrorsHigh", "QueueFull", "GcSlow"].map((metric) =>
          alert("cart", 0, metric, pod(name, "node-1")),
        ),
      ),
      alert("slow", 1, "CallsFail", calls),
      alert("slow", 1, "SlowAnswers", { service: "frontend" }),
    ];
    expect(originOf("slow", storm)).toMatchObject({ level: "service", object: "cart" });
  });

  it("leaves out alerts that share no host, namespace or service with it", () => {
    const other = alert("other", -5, "DiskFull", { instance: "backup-1:9100", namespace: "backup" });
    expect(originOf("slow", [...HOST_STORM, other])).toEqual(originOf("slow", HOST_STORM));
    expect(originOf("other", [...HOST_STORM, other])).toBeNull();
  });

  it("is no certain one for a few alerts that share only a namespace", () => {
    const few = ["cart", "orders", "frontend"].map((service, i) =>
      alert(service, i, `Alert${i}`, { namespace: "shop", service }),
    );
    expect(originOf("cart", few)).toBeNull();
  });

  it("is not named for two objects, for equals, or for an exporter", () => {
    const equals = ["a", "b", "c", "d"].map((name) => alert("i", 0, "Slow", { namespace: "shop", service: name }));
    expect(originOf("i", equals)).toBeNull();
    expect(originOf("slow", HOST_STORM.slice(-3, -1))).toBeNull();
    const exported = equals.map((each) => ({
      ...each,
      labels: { job: "kube-state-metrics", pod: "kube-state-metrics-0" },
    }));
    expect(originOf("i", exported)).toBeNull();
  });
});
