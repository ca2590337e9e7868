import { describe, expect, it } from "vitest";
import { comparableLabels } from "../../../functions/surroundings/comparable-labels.ts";

describe("the labels by which alerts are related", () => {
  it("are weighed by how narrow an object they name", () => {
    const labels = {
      pod: "checkout-0",
      namespace: "shop",
      cluster: "eu-1",
      alertname: "A",
      severity: "high",
      tier: "gold",
    };
    expect(comparableLabels({ target: null, labels }).map(({ name, weight }) => [name, weight])).toEqual([
      ["pod", 3],
      ["namespace", 2],
      ["cluster", 1],
    ]);
  });

  it("compare a machine with every label that may name it, without its port", () => {
    const compared = comparableLabels({ target: null, labels: { instance: "worker-3:9100" } });
    expect(compared.map(({ name }) => name).sort()).toEqual(
      ["host", "hostname", "instance", "machine", "node", "nodename"].sort(),
    );
    expect(compared.every(({ value, is_host }) => value === "worker-3" && is_host)).toBe(true);
  });

  it("leave out redacted and empty values", () => {
    const labels = { pod: "[REDACTED_EMAIL]", namespace: "", node: "" };
    expect(comparableLabels({ target: "[REDACTED_IP]", labels })).toEqual([]);
  });

  it("are bounded, the narrowest first", () => {
    const labels = {
      node: "a",
      instance: "b",
      host: "c",
      nodename: "d",
      hostname: "e",
      machine: "f",
      service: "g",
      namespace: "h",
    };
    const compared = comparableLabels({ target: "t", labels });
    expect(compared).toHaveLength(39);
    expect(
      comparableLabels({ target: "t", labels: { ...labels, pod: "p", app: "q", db: "r", topic: "s" } }),
    ).toHaveLength(40);
  });
});
