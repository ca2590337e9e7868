// The expression of an alert in a whole triage: sent with a question, and by the webhook of an alert.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findProgram } from "../../support/debian.ts";
import { deliver, investigate } from "../alerts/support.ts";
import { type Prometheus, sample, startPrometheus } from "../metrics/real-prometheus.ts";
import { createHarness, deleteIncidents } from "../support/harness.ts";

const program = await findProgram("prometheus");
const AT = new Date("2026-03-01T03:00:00Z");
const before = (minutes: number) => new Date(AT.getTime() - minutes * 60_000);
const LABELS = { alertname: "IntakeBufferFull", instance: "intake-1:9000" };
const LINK = "http://metrics.example:9090/graph?g0.expr=intake_used_ratio+%3E+0.9&g0.tab=1";

describe.skipIf(program === null)("a triage with the link of its alert", () => {
  let prometheus: Prometheus;
  beforeAll(async () => {
    const history = Array.from({ length: 90 }, (_, i) => 89 - i).map((minutes) => [
      sample("intake_used_ratio", { instance: "intake-1:9000" }, 0.5, before(minutes)),
      sample("intake_used_ratio", { instance: "intake-2:9000" }, 0.1, before(minutes)),
    ]);
    prometheus = await startPrometheus(program ?? "", { history: history.flat() });
  }, 120_000);
  beforeEach(() => deleteIncidents(createHarness().services));
  afterAll(() => prometheus[Symbol.asyncDispose]());

  const observed = {
    source: expect.any(String),
    query: 'intake_used_ratio{instance=~"intake-1:9000|"}',
    series: [{ labels: { instance: "intake-1:9000" }, points: expect.arrayContaining([[expect.any(Number), 0.5]]) }],
  };

  it("shows the values of its expression", async () => {
    const { triage } = createHarness({ PROMETHEUS_URL: prometheus.url });
    const { live } = await triage({ title: "The intake buffer is full", labels: LABELS, generator_url: LINK });
    expect(live.expression).toMatchObject(observed);
  });

  it("shows none without a source, and none without a link", async () => {
    const report = { title: "The intake buffer is full", labels: LABELS };
    expect((await createHarness().triage({ ...report, generator_url: LINK })).live.expression).toBeNull();
    const { triage } = createHarness({ PROMETHEUS_URL: prometheus.url });
    expect((await triage(report)).live.expression).toBeNull();
  });

  it("shows them for an alert that waited in the queue", async () => {
    const harness = createHarness({ PROMETHEUS_URL: prometheus.url });
    const alert = { status: "firing", labels: LABELS, startsAt: before(5).toISOString(), generatorURL: LINK };
    const body = JSON.stringify({ version: "4", status: "firing", groupKey: "{}", alerts: [alert] });
    const { incidents } = await deliver(harness, "alertmanager", body);
    await investigate(harness.services, incidents);
    const response = await harness.request(`/v1/incidents/${incidents[0]}`);
    expect(await response.json()).toMatchObject({
      expression: "intake_used_ratio > 0.9",
      triage: { live: { expression: { ...observed, start: before(35).toISOString(), end: AT.toISOString() } } },
    });
  });
});
