// The adapter for Prometheus, against the real server with stored samples.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPrometheusClient } from "../../../functions/adapters/evidence/prometheus.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { alertExpression } from "../../../lib/checks/promql/alert-expression.ts";
import { promql } from "../../../lib/checks/promql/promql.ts";
import { findProgram } from "../../support/debian.ts";
import { HOSTILE_VALUES } from "../../support/hostile-labels.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Prometheus, sample, startPrometheus } from "../metrics/real-prometheus.ts";

const program = await findProgram("prometheus");
const AT = new Date("2026-03-01T03:00:00Z");
const before = (minutes: number) => new Date(AT.getTime() - minutes * 60_000);
const CALL = { timeoutMs: 10_000 };

const HISTORY = [
  ...[60, 45, 30, 15, 1, 0].flatMap((minutes) => [
    sample("slots_used", { instance: "db-1", job: "db" }, 97 - minutes, before(minutes)),
    sample("slots_used", { instance: "db-2", job: "db" }, 10, before(minutes)),
  ]),
  sample("odd", { kind: "nan" }, "NaN", AT),
  sample("odd", { kind: "inf" }, "+Inf", AT),
  sample("odd", { kind: "minus" }, "-Inf", AT),
  sample("odd", { kind: "small" }, "1.5e-7", AT),
  sample("named", { pod: "other", namespace: "shop" }, 8, AT),
  ...HOSTILE_VALUES.map(([, pod], i) => sample("named", { pod, namespace: "shop" }, i, AT)),
  ...Array.from({ length: 412 }, (_, i) => sample("many", { i: `${i}` }, i, AT)),
];

describe.skipIf(program === null)("the adapter for Prometheus", () => {
  let prometheus: Prometheus;
  beforeAll(async () => {
    prometheus = await startPrometheus(program ?? "", { history: HISTORY });
  }, 60_000);
  afterAll(() => prometheus[Symbol.asyncDispose]());

  const client = (path = "") =>
    createPrometheusClient(
      evidenceSourceSchema.parse({ name: "main", kind: "prometheus", url: `${prometheus.url}${path}` }),
      null,
      createTestTimers().startTimer,
    );
  const ask = (expression: string) => client().run({ language: "promql", expression, at: AT }, CALL);

  it("returns the labels, the time and the value of each series", async () => {
    expect(await ask("slots_used")).toEqual({
      kind: "series",
      series: [
        { labels: { __name__: "slots_used", instance: "db-1", job: "db" }, points: [[AT.getTime(), 97]] },
        { labels: { __name__: "slots_used", instance: "db-2", job: "db" }, points: [[AT.getTime(), 10]] },
      ],
    });
  });

  it("returns a number without labels for a number", async () => {
    expect(await ask("1.5 + 1")).toEqual({ kind: "series", series: [{ labels: {}, points: [[AT.getTime(), 2.5]] }] });
  });

  it("reads values that are no finite numbers", async () => {
    const result = await ask("sum by (kind) (odd)");
    const values =
      result.kind === "series" ? result.series.map(({ labels, points }) => [labels.kind, points[0]?.[1]]) : [];
    expect(Object.fromEntries(values)).toEqual({
      nan: Number.NaN,
      inf: Number.POSITIVE_INFINITY,
      minus: Number.NEGATIVE_INFINITY,
      small: 1.5e-7,
    });
  });

  it("returns no series where there is no data", async () => {
    expect(await ask("no_such_metric")).toEqual({ kind: "series", series: [] });
  });

  it("returns a range with a point at both ends", async () => {
    const query = {
      language: "promql",
      expression: 'slots_used{instance="db-2"}',
      start: before(60),
      end: AT,
    } as const;
    const result = await client().run({ ...query, points: 61 }, CALL);
    const points = result.kind === "series" ? (result.series[0]?.points ?? []) : [];
    expect(points.at(0)).toEqual([before(60).getTime(), 10]);
    expect(points.at(-1)).toEqual([AT.getTime(), 10]);
    expect(points.length).toBeLessThanOrEqual(61);
  });

  it("never asks for more points than a result may have", async () => {
    const query = { language: "promql", expression: "vector(1)", start: before(60), end: AT } as const;
    const result = await client().run({ ...query, points: 5_000 }, CALL);
    expect(result).toMatchObject({ kind: "series", series: [{ points: { length: expect.any(Number) } }] });
    expect(result.kind === "series" && result.series[0]?.points.length).toBeLessThanOrEqual(100);
  });

  it("returns the count of a result that is too large, and none of it", async () => {
    expect(await ask("many")).toEqual({
      kind: "too_large",
      size: "412 series",
      hint: expect.stringContaining("topk(20, …)"),
    });
    expect(await ask("topk(20, many)")).toMatchObject({ kind: "series", series: { length: 20 } });
  });

  it.each([
    ["a type error", "sum(1)", "bad_data"],
    ["a syntax error", "sum(", "bad_data"],
    ["a failure while it runs", 'label_replace(slots_used, "instance", "x", "", "")', "execution"],
  ])("reports %s as refused, without the query", async (_, expression, code) => {
    await expect(ask(expression)).rejects.toMatchObject({
      dependency: "evidence_source",
      failure: "refused",
      message: expect.stringMatching(new RegExp(`^evidence_source: the server refused the query: ${code}$`)),
    });
  });

  it("answers a ping with the version", async () => {
    expect(await client().ping(CALL)).toEqual({ version: expect.stringMatching(/^\d+\.\d+/) });
  });

  it("sends a long query as a form", async () => {
    const names = Array.from({ length: 300 }, (_, i) => `slots-${i}`).join("|");
    expect(await ask(`slots_used{instance!~"${names}"}`)).toMatchObject({ kind: "series", series: { length: 2 } });
  });

  it.each(HOSTILE_VALUES.map(([attack, pod], i) => [attack, pod, i] as const))(
    "selects one series by a label that %s",
    async (_, pod, i) => {
      const labels = { pod, namespace: "shop" };
      for (const query of ["named", 'named{namespace=~".+"}']) {
        const prepared = promql.prepare(query, { labels, match: null, now: AT });
        if (!prepared.ok) throw new Error(prepared.reason);
        expect(await client().run(prepared.value.query, CALL)).toEqual({
          kind: "series",
          series: [{ labels: { __name__: "named", ...labels }, points: [[AT.getTime(), i]] }],
        });
      }
      const observed = alertExpression("named > 100", labels) ?? "";
      // A value that is too long for a pattern is left out.
      if (pod.length <= 256) expect(await ask(observed)).toMatchObject({ series: [{ labels }] });
    },
  );
});
