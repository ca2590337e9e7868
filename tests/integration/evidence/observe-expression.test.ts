// The alert's own expression around its start, from the webhook to the values of a real server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPrometheusClient } from "../../../functions/adapters/evidence/prometheus.ts";
import { observeExpression } from "../../../functions/investigation/live/observe-expression.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { findProgram } from "../../support/debian.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Prometheus, sample, startPrometheus } from "../metrics/real-prometheus.ts";

const program = await findProgram("prometheus");
const START = new Date("2026-03-01T03:00:00Z");
const at = (minutes: number) => new Date(START.getTime() + minutes * 60_000);
const CALL = { timeoutMs: 10_000 };
const LABELS = { alertname: "SlotsUsed", severity: "critical", team: "data", instance: "db-1", job: "db" };

/** One sample a minute: the value rises, and is NaN around the start. */
const HISTORY = Array.from({ length: 120 }, (_, i) => i - 60).flatMap((minute) => [
  sample("slots_used", { instance: "db-1", job: "db" }, Math.abs(minute) <= 1 ? "NaN" : 60 + minute, at(minute)),
  sample("slots_used", { instance: "db-2", job: "db" }, 5, at(minute)),
  sample("slots", { instance: "db-1", job: "db" }, 100, at(minute)),
  sample("slots", { instance: "db-2", job: "db" }, 100, at(minute)),
  ...(minute === 0 ? Array.from({ length: 30 }, (_, i) => sample("busy", { queue: `q-${i}` }, i, at(minute))) : []),
]);

describe.skipIf(program === null)("the expression of an alert", () => {
  let prometheus: Prometheus;
  beforeAll(async () => {
    prometheus = await startPrometheus(program ?? "", { history: HISTORY });
  }, 60_000);
  afterAll(() => prometheus[Symbol.asyncDispose]());

  const observe = (expression: string | null, labels: Readonly<Record<string, string>>, now = at(45)) => {
    const definition = evidenceSourceSchema.parse({ name: "main", kind: "prometheus", url: prometheus.url });
    const client = createPrometheusClient(definition, null, createTestTimers().startTimer);
    return observeExpression(client, { expression, labels }, { start: START, now }, CALL);
  };

  it("shows the measured value of its own series, without the threshold", async () => {
    const observed = await observe("slots_used / slots > 0.9", LABELS);
    expect(observed).toMatchObject({
      source: "main",
      link: expect.stringContaining("/graph?g0.expr=slots_used"),
      start: at(-30).toISOString(),
      end: at(30).toISOString(),
      series: [{ labels: { instance: "db-1", job: "db" } }],
    });
    const points = observed?.series[0]?.points ?? [];
    expect(points.length).toBeGreaterThan(50);
    expect(points.length).toBeLessThanOrEqual(60);
    expect(points[0]).toEqual([at(-30).getTime() / 1_000, 0.3]);
  });

  it("has no value where the server has none that is finite", async () => {
    const points = (await observe("slots_used", LABELS))?.series[0]?.points ?? [];
    expect(points.some(([, value]) => value === null)).toBe(true);
    expect(points.every(([, value]) => value === null || Number.isFinite(value))).toBe(true);
  });

  it("ends now while the alert is young", async () => {
    expect(await observe("slots_used", LABELS, at(2))).toMatchObject({ end: at(2).toISOString() });
  });

  it.each([
    ["no expression", null, LABELS],
    ["an invalid one", "slots_used >", LABELS],
    ["one that selects everything", '{__name__=~".+"}', LABELS],
    ["one without a value", "no_such_metric > 1", LABELS],
    ["more than 20 series of the alert", "busy > 1", { alertname: "Busy" }],
    ["values of other targets only", "slots_used", { ...LABELS, instance: "db-3" }],
  ])("is not shown: %s", async (_, expression, labels) => {
    expect(await observe(expression, labels)).toBeNull();
  });

  it("selects the series of the alert among many", async () => {
    expect(await observe("busy > 1", { alertname: "Busy", queue: "q-7" })).toMatchObject({
      series: [{ labels: { queue: "q-7" } }],
    });
  });
});
