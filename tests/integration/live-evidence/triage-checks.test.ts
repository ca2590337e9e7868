// Checks of runbooks in a whole triage, against the real Prometheus and the real PostgreSQL.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findProgram } from "../../support/debian.ts";
import { type Prometheus, sample, startPrometheus } from "../metrics/real-prometheus.ts";
import { createHarness, deleteIncidents, info } from "../support/harness.ts";
import { draftOf, json, scriptedModel } from "../support/servers/scripted-model.ts";

const program = await findProgram("prometheus");
const AT = new Date("2026-03-01T03:00:00Z");

const INTAKE = `# Order intake stalls

Orders pile up in the intake buffer and no order is confirmed.

## Likely causes

- **Consumer is gone.** No process reads the intake buffer.
- **Buffer disk is full.** The intake buffer refuses writes.
- **Pricing does not answer.** Each order waits for the pricing service.

## Confirm

1. Look at the intake buffer.

\`\`\`promql {check=disk match=instance cause="Buffer disk is full"}
intake_disk_used_ratio
\`\`\`
- confirms: any > 0.95: the disk of the buffer is full
- refutes: all < 0.8: the disk of the buffer has room
- else: inconclusive

\`\`\`promql {check=consumers match=instance cause="Consumer is gone"}
intake_consumers
\`\`\`
- confirms: all = 0: no consumer is connected
- refutes: all > 0: consumers are connected
- else: inconclusive

\`\`\`promql {check=pricing match=instance cause="Pricing does not answer"}
pricing_latency_seconds
\`\`\`
- confirms: any > 5: pricing is slow
- else: inconclusive

## Mitigate

1. (changes state) Free space on the disk: \`intake purge\`.
`;

const LEDGER = `# Ledger refuses connections

The ledger has no free connection.

## Likely causes

- **Slots are used up.** Every connection slot of the ledger is taken.

## Confirm

\`\`\`sql {check=slots}
select count(*)::numeric / current_setting('max_connections')::numeric as used from pg_stat_activity
\`\`\`
- confirms: any used > 0.95: the slots of the ledger are used up
- refutes: all used < 0.9: the ledger has free slots
- else: inconclusive
`;

const STALLED = {
  title: "Order intake stalls: orders pile up in the intake buffer",
  labels: { alertname: "OrderIntakeStalls", instance: "intake-1:9000", service: "orders" },
};

describe.skipIf(program === null)("a triage with a source of evidence", () => {
  let prometheus: Prometheus;
  const place = (instance: string) => ({ instance: `${instance}:9000` });
  const HISTORY = [
    sample("intake_disk_used_ratio", place("intake-1"), 0.99, AT),
    sample("intake_consumers", place("intake-1"), 4, AT),
    sample("pricing_latency_seconds", place("intake-1"), "NaN", AT),
    sample("intake_disk_used_ratio", place("intake-2"), 0.2, AT),
    sample("intake_consumers", place("intake-2"), 4, AT),
    sample("pricing_latency_seconds", place("intake-2"), 0.1, AT),
  ];

  beforeAll(async () => {
    prometheus = await startPrometheus(program ?? "", { history: HISTORY });
    const { request } = createHarness();
    for (const [path, text] of [
      ["orders/intake.md", INTAKE],
      ["orders/ledger.md", LEDGER],
    ] as const)
      await request(`/v1/runbooks/${path}`, {
        method: "PUT",
        body: text,
        headers: { "content-type": "text/markdown" },
      });
  }, 120_000);
  beforeEach(() => deleteIncidents(createHarness().services));
  afterAll(() => prometheus[Symbol.asyncDispose]());

  const withSources = (settings: Record<string, unknown> = {}) =>
    createHarness({ PROMETHEUS_URL: prometheus.url, ...settings });

  it("puts the confirmed cause first, and rules out the refuted one with its value", async () => {
    const { triage } = withSources();
    const { outcome, answer, checks, sources, warnings } = await triage(STALLED);
    expect(outcome).toBe("cause");
    expect(answer.likely_causes[0]?.text).toMatch(/Buffer disk is full/);
    expect(answer.likely_causes.map(({ text }) => text).join(" ")).not.toMatch(/Consumer is gone/);
    expect(answer.ruled_out).toMatchObject([
      {
        text: expect.stringContaining("Consumer is gone"),
        reason: expect.stringMatching(/consumers are connected \(4 /),
      },
    ]);
    expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["disk", "confirmed"],
      ["consumers", "refuted"],
      ["pricing", "inconclusive"],
    ]);
    expect(checks[0]).toMatchObject({
      value: expect.stringContaining("0.99"),
      query: 'intake_disk_used_ratio{instance="intake-1:9000"}',
      source: "prometheus",
      checked_at: AT.toISOString(),
      link: expect.stringContaining(prometheus.url),
    });
    expect(sources).toContainEqual(expect.objectContaining({ kind: "check", id: "check:orders/intake.md#disk" }));
    expect(warnings).toEqual([]);
  });

  it("does not repeat a decided check as a step for a person", async () => {
    const commands = async (harness: ReturnType<typeof createHarness>) =>
      (await harness.triage(STALLED)).answer.confirm.map(({ command }) => command);
    expect(await commands(createHarness())).toEqual(
      expect.arrayContaining(["intake_disk_used_ratio", "intake_consumers", "pricing_latency_seconds"]),
    );
    const open = await commands(withSources());
    expect(open).toContain("pricing_latency_seconds");
    expect(open).not.toContain("intake_disk_used_ratio");
  });

  it("asks about the alert's own object only", async () => {
    const { triage } = withSources();
    const other = { ...STALLED, labels: { ...STALLED.labels, instance: "intake-2:9000" } };
    const { checks, answer } = await triage(other);
    expect(checks.find(({ name }) => name === "disk")).toMatchObject({ verdict: "refuted" });
    expect(answer.ruled_out.map(({ text }) => text).join(" ")).toMatch(/Buffer disk is full/);
  });

  it.each([
    'intake-1:9000"} or vector(1) #',
    "intake-1:9000\n} or vector(1)",
    '"} or intake_disk_used_ratio{instance=~".*',
  ])("finds nothing for the hostile label %j", async (instance) => {
    const { triage } = withSources();
    const { checks } = await triage({ ...STALLED, labels: { ...STALLED.labels, instance } });
    expect(checks.map(({ verdict }) => verdict)).not.toContain("confirmed");
    expect(checks.map(({ verdict }) => verdict)).not.toContain("refuted");
  });

  it("does not run a check whose label the alert lacks, and says so", async () => {
    const { triage } = withSources();
    const { checks, answer } = await triage({ ...STALLED, labels: { alertname: "OrderIntakeStalls" } });
    expect(new Set(checks.map(({ verdict }) => verdict))).toEqual(new Set(["not_run"]));
    expect(checks[0]?.statement).toMatch(/instance/);
    expect(answer.ruled_out).toEqual([]);
  });

  it("answers as before without a source", async () => {
    const { triage } = createHarness();
    const { checks, live, answer } = await triage(STALLED);
    expect({ checks, expression: live.expression, object: live.object }).toEqual({
      checks: [],
      expression: null,
      object: null,
    });
    expect(answer.likely_causes[0]?.text).toMatch(/Consumer is gone/);
  });

  it("rules out a runbook by PostgreSQL's own views, and names it as likely nowhere", async () => {
    const url = new URL(info.urls.postgres);
    const { triage } = withSources({
      POSTGRES_CHECKS_URL: `postgres://${url.host}${url.pathname}`,
      POSTGRES_CHECKS_CREDENTIAL: `${url.username}:${url.password}`,
    });
    const report = { title: "Ledger refuses connections: no free connection", labels: { service: "ledger" } };
    const { outcome, answer, checks } = await triage(report);
    expect(checks).toMatchObject([{ name: "slots", verdict: "refuted", source: "postgres" }]);
    expect(outcome).toBe("unknown");
    expect(answer.likely_causes).toEqual([]);
    expect(answer.summary.text).toMatch(/rules out the runbook "Ledger refuses connections"/);
    expect(answer.ruled_out).toMatchObject([{ text: "Ledger refuses connections" }]);
  });

  it("survives a credential that no header can carry", async () => {
    const { triage, log } = withSources({ PROMETHEUS_CREDENTIAL: "planted\nsecret" });
    const { checks, warnings } = await triage(STALLED);
    expect(checks.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive", "inconclusive"]);
    expect(warnings).toMatchObject([{ code: "dependency_refused", dependency: "evidence_source" }]);
    expect(JSON.stringify([checks, warnings, log])).not.toContain("planted");
  });

  it("asks once a minute for reports that are alike", async () => {
    const harness = withSources();
    const first = await harness.triage(STALLED);
    harness.clock.advance(30_000);
    const second = await harness.triage(STALLED);
    expect(second.checks[0]?.checked_at).toBe(first.checks[0]?.checked_at);
    harness.clock.advance(31_000);
    const third = await harness.triage(STALLED);
    expect(third.checks[0]?.checked_at).toBe("2026-03-01T03:01:01.000Z");
  });

  describe("with a language model", () => {
    const quote = "orders pile up in the intake buffer";
    const hypothesis = (cause: string, citations: string[]) => ({
      cause,
      citations,
      verdict: "kept" as const,
      reason: "It fits.",
    });
    const draft = (...hypotheses: ReturnType<typeof hypothesis>[]) =>
      json(
        draftOf({
          outcome: "cause",
          evidence: [{ quote, citations: ["R1"], text: "Orders wait." }],
          hypotheses,
          summary: { text: hypotheses[0]?.cause ?? "", citations: ["R1"] },
        }),
      );

    it("shows it the results, and accepts a confirmed check as evidence", async () => {
      await using model = await scriptedModel({
        synthesise: draft(hypothesis("The disk of the buffer is full.", ["R1", "C1"])),
      });
      const { answer, outcome } = await withSources(model.env()).triage(STALLED);
      const [prompt = ""] = model.prompts("synthesise");
      expect(prompt).toMatch(
        /<check id="C1" verdict="confirmed"[^>]*>\nCause: Buffer disk is full\..*\nResult: the disk of the buffer is full/,
      );
      expect(outcome).toBe("cause");
      expect(answer.likely_causes[0]?.citations).toContain("check:orders/intake.md#disk");
      expect(answer.ruled_out).toHaveLength(1);
    });

    it("rejects a cause that a check refutes, whatever it cites and says", async () => {
      await using model = await scriptedModel({
        synthesise: draft(hypothesis("The consumer of the buffer is gone, so nothing is read.", ["R1", "C1"])),
      });
      const { answer, outcome } = await withSources(model.env()).triage(STALLED);
      expect(outcome).not.toBe("cause");
      expect(answer.likely_causes).toEqual([]);
      expect(answer.possible_causes).toEqual([]);
      expect(answer.summary.text).not.toMatch(/consumer/i);
      expect(answer.hypotheses).toMatchObject([
        { verdict: "rejected", reason: expect.stringMatching(/^Ruled out\. Check "consumers"/) },
      ]);
    });
  });
});
