// The alerts on Dejavu's own metrics: Prometheus accepts the rules, each fires when it should, and each leads to its runbook.

import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { METRIC_FAMILIES } from "../../../functions/telemetry/metric-families.ts";
import { deliver, investigate } from "../../integration/alerts/support.ts";
import { promtool } from "../../integration/metrics/real-prometheus.ts";
import { createHarness, deleteIncidents, emptyStores, workerEnv } from "../../integration/support/harness.ts";
import { findProgram } from "../../support/debian.ts";

const alertFile = (name: string) => fileURLToPath(new URL(`../../../seeds/alerts/${name}`, import.meta.url));
const RULES = alertFile("dejavu.rules.yaml");
const RULE_TESTS = ["dejavu.rules.test.yaml", "dejavu.rules.hours.test.yaml"].map(alertFile);
/** The values of a label that an alert's text refers to. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  dependency: ["vector_store", "embedder", "reranker", "database"],
  name: [
    "retry-outbox",
    "recover-stuck-runs",
    "compress-sessions",
    "decay-procedures",
    "delete-expired",
    "rebuild-memory",
    "refit-relevance",
    "sync-inventory",
    "check-fixes",
  ],
  mode: ["model", "extractive"],
};

const ruleSchema = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]), domain: z.literal("dejavu") }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
});
type Rule = z.infer<typeof ruleSchema>;

const promtoolPath = await findProgram("promtool");
const { groups } = z
  .object({ groups: z.tuple([z.object({ rules: z.array(ruleSchema) })]) })
  .parse(parse(await readFile(RULES, "utf8")));
const rules = groups[0].rules.map((rule) => [rule.alert, rule] as const);
const harness = createHarness({ MODEL: "none" });

beforeAll(async () => {
  await emptyStores(harness.services);
  // Also runbooks that are not about Dejavu.
  const directory = await mkdtemp(join(tmpdir(), "dejavu-runbooks-"));
  for (const domain of ["dejavu", "docker"])
    await symlink(
      fileURLToPath(new URL(`../../../seeds/runbooks/${domain}`, import.meta.url)),
      join(directory, domain),
    );
  await seedRunbooks({ env: workerEnv, directory });
  await rm(directory, { recursive: true });
});
beforeEach(() => deleteIncidents(harness.services));

/** The texts of an alert as Prometheus renders them, for each value of the label that they refer to. */
function firings({ annotations, labels }: Rule) {
  const text = JSON.stringify(annotations);
  const name = Object.keys(LABELS).find((label) => text.includes(`$labels.${label}`));
  return (name === undefined ? [undefined] : (LABELS[name] ?? [])).map((value) => ({
    labels: { ...labels, ...(name !== undefined && value !== undefined ? { [name]: value } : {}) },
    annotations: z
      .record(z.string(), z.string())
      .parse(
        JSON.parse(
          text.replaceAll(/\{\{ \$labels\.\w+ \}\}/g, value ?? "").replaceAll(/\{\{ \$value [^}]*\}\}/g, "42"),
        ),
      ),
  }));
}

/** The source of an alert's runbook. */
function runbookOf({ annotations }: Rule): string {
  return annotations.runbook_url.replace("seeds/runbooks/", "");
}

describe.skipIf(promtoolPath === null)("promtool (skipped when it is not available)", () => {
  it("accepts the rules", async () => {
    const { code, output } = await promtool(promtoolPath ?? "", ["check", "rules", RULES]);
    expect(code, output).toBe(0);
    expect(output).toContain(`${rules.length} rules found`);
  });

  it("confirms that each alert fires when it should, and none when all is well", async () => {
    const { code, output } = await promtool(promtoolPath ?? "", ["test", "rules", ...RULE_TESTS]);
    expect(code, output).toBe(0);
  });
});

describe("the rules", () => {
  it("each have a test that fires and one that does not", async () => {
    const caseSchema = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).optional() });
    const fileSchema = z.object({ tests: z.array(z.object({ alert_rule_test: z.array(caseSchema) })) });
    const files = await Promise.all(
      RULE_TESTS.map(async (path) => fileSchema.parse(parse(await readFile(path, "utf8")))),
    );
    const cases = files.flatMap(({ tests }) => tests.flatMap(({ alert_rule_test }) => alert_rule_test));
    const named = (fires: boolean) =>
      new Set(cases.filter(({ exp_alerts }) => (exp_alerts !== undefined) === fires).map(({ alertname }) => alertname));
    expect([...named(true)].sort()).toEqual(rules.map(([name]) => name).sort());
    expect([...named(false)].sort()).toEqual(rules.map(([name]) => name).sort());
  });

  it("use only existing metrics", () => {
    const existing = METRIC_FAMILIES.flatMap(({ name, type }) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_count`] : [name],
    );
    const used = new Set(rules.flatMap(([, { expr }]) => expr.match(/\bdejavu_\w+/g) ?? []));
    expect([...used].filter((name) => !existing.includes(name))).toEqual([]);
  });
});

/** `npm test` tries some rules, others by their summary than by what Alertmanager sends. */
const someRules = (first: number) => rules.filter((_, i) => inject("extent") === "all" || i % 6 === first);

describe.each(someRules(3))("%s", (_name, rule) => {
  it.each(firings(rule))(
    "finds its runbook by its summary alone ($annotations.summary)",
    async ({ labels, annotations }) => {
      const title = annotations.summary ?? "";
      const { recalled, outcome, domain, sources } = await harness.triage({ title, labels });
      expect(domain).toMatchObject({ name: "dejavu", rule: "label domain=dejavu" });
      expect(recalled.runbooks[0]?.source).toBe(runbookOf(rule));
      expect(outcome).toBe("cause");
      expect(sources[0]?.source).toBe(runbookOf(rule));
    },
  );
});

describe.each(someRules(0))("%s", (name, rule) => {
  it("leads to its runbook when Alertmanager sends it", async () => {
    const [firing] = firings(rule);
    const body = {
      version: "4",
      groupKey: `{}:{alertname="${name}"}`,
      status: "firing",
      alerts: [
        {
          status: "firing",
          labels: { alertname: name, job: "dejavu", instance: "dejavu.example", ...firing?.labels },
          annotations: firing?.annotations,
          startsAt: "2026-03-01T02:55:12.345Z",
          endsAt: "0001-01-01T00:00:00Z",
          generatorURL: "http://prometheus.example:9090/graph",
          fingerprint: "505698848f8bc406",
        },
      ],
    };
    const { incidents } = await deliver(harness, "alertmanager", JSON.stringify(body));
    await investigate(harness.services, incidents);
    const incident = await (await harness.request(`/v1/incidents/${incidents[0]}`)).json();
    expect(incident).toMatchObject({
      domain: { name: "dejavu" },
      incident_type: { name: "dejavu" },
      triage: { outcome: "cause", recalled: { runbooks: expect.any(Array) } },
    });
    const { triage } = z
      .object({ triage: z.object({ recalled: z.object({ runbooks: z.array(z.object({ source: z.string() })) }) }) })
      .parse(incident);
    expect(triage.recalled.runbooks[0]?.source).toBe(runbookOf(rule));
  });
});
