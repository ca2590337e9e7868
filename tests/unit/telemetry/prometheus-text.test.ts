import { describe, expect, it } from "vitest";
import { METRIC_FAMILIES } from "../../../functions/telemetry/metric-families.ts";
import { renderMetrics } from "../../../functions/telemetry/prometheus-text.ts";

const COUNTER = { name: "things_total", type: "counter", help: "Things." } as const;
const HISTOGRAM = { name: "wait_seconds", type: "histogram", help: "Waits." } as const;

describe("renderMetrics", () => {
  it("writes a family's help and type once, then its samples", () => {
    const samples = [
      { metric: "things_total", labels: { kind: "a", of: "b" }, value: 3 },
      { metric: "things_total", labels: {}, value: 0.25 },
    ];
    expect(renderMetrics([COUNTER], samples)).toBe(
      '# HELP things_total Things.\n# TYPE things_total counter\nthings_total{kind="a",of="b"} 3\nthings_total 0.25\n',
    );
  });

  it("gathers a histogram's buckets, sum and count in one family, in the order in which they come", () => {
    const samples = [
      { metric: "wait_seconds_sum", labels: {}, value: 2.5 },
      { metric: "wait_seconds_bucket", labels: { le: "1" }, value: 1 },
      { metric: "wait_seconds_bucket", labels: { le: "+Inf" }, value: 2 },
      { metric: "wait_seconds_count", labels: {}, value: 2 },
    ];
    expect(renderMetrics([HISTOGRAM], samples).split("\n").slice(2)).toEqual([
      'wait_seconds_bucket{le="1"} 1',
      'wait_seconds_bucket{le="+Inf"} 2',
      "wait_seconds_sum 2.5",
      "wait_seconds_count 2",
      "",
    ]);
  });

  it("escapes what would end a label or a line", () => {
    const family = { ...COUNTER, help: 'a \\ b\nc "d"' };
    const text = renderMetrics([family], [{ metric: "things_total", labels: { of: 'a\\b"c\nd' }, value: 1 }]);
    expect(text).toBe(
      '# HELP things_total a \\\\ b\\nc "d"\n# TYPE things_total counter\nthings_total{of="a\\\\b\\"c\\nd"} 1\n',
    );
  });

  it.each([
    [1e21, "1e+21"],
    [1e-7, "1e-7"],
    [1_790_000_000.123, "1790000000.123"],
  ])("writes %d as %s", (value, written) => {
    expect(renderMetrics([COUNTER], [{ metric: "things_total", labels: {}, value }])).toContain(
      `things_total ${written}\n`,
    );
  });

  it("leaves out a family without samples, and a sample that belongs to none", () => {
    expect(renderMetrics([COUNTER], [{ metric: "others_total", labels: {}, value: 1 }])).toBe("");
  });
});

describe("the metrics", () => {
  it.each(METRIC_FAMILIES.map((family) => [family.name, family] as const))(
    "%s is named as its kind is",
    (name, family) => {
      expect(name).toMatch(/^dejavu_[a-z]+(_[a-z]+)*$/);
      expect(name.endsWith("_total")).toBe(family.type === "counter");
      expect(family.help).toMatch(/^[A-Z].*\.$/);
    },
  );

  it("have names of their own", () => {
    expect(new Set(METRIC_FAMILIES.map(({ name }) => name)).size).toBe(METRIC_FAMILIES.length);
  });
});
