// The checks of the shipped runbooks: each has situations that confirm it, refute it and decide nothing. Metrics come from a
// real Prometheus, objects from the stand-in for a cluster.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubernetesClient } from "../../../functions/adapters/evidence/kubernetes.ts";
import { createPrometheusClient } from "../../../functions/adapters/evidence/prometheus.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { type Judgement, judge } from "../../../lib/checks/judge.ts";
import { k8s } from "../../../lib/checks/k8s/k8s.ts";
import { LANGUAGES } from "../../../lib/checks/languages.ts";
import { type ParsedCheck, parseChecks } from "../../../lib/checks/parse-checks.ts";
import { promql } from "../../../lib/checks/promql/promql.ts";
import { SHIPPED_CHECKS, SITUATIONS, VERDICTS } from "../../integration/checks/fixtures/shipped-checks.ts";
import { type AlertSituation, alertSituation, alertWithoutData, historyOf } from "../../integration/checks/history.ts";
import { type Prometheus, startPrometheus } from "../../integration/metrics/real-prometheus.ts";
import { type ClusterServer, clusterServer } from "../../integration/support/servers/cluster-server.ts";
import { findProgram } from "../../support/debian.ts";
import { SHIPPED_DOMAINS } from "../../support/domains.ts";
import { createTestTimers } from "../../support/test-timers.ts";

const program = await findProgram("prometheus");
const { startTimer } = createTestTimers();
const CALL = { timeoutMs: 10_000 };
const verdictOf = { confirmed: "confirmed", refuted: "refuted", unclear: "inconclusive" } as const;
const source = (kind: "prometheus" | "kubernetes", url: string) =>
  evidenceSourceSchema.parse({ name: "main", kind, url });

describe("the checks that ship", () => {
  it("are at least 150, of three languages, over eight domains", () => {
    expect(SHIPPED_CHECKS.length).toBeGreaterThanOrEqual(150);
    expect(new Set(SHIPPED_CHECKS.map(({ check }) => check.language))).toEqual(new Set(["k8s", "promql", "sql"]));
    expect(new Set(SHIPPED_CHECKS.map(({ id }) => id.split("/")[0]))).toEqual(
      new Set(["host", "kafka", "kubernetes", "mysql", "nginx", "postgres", "rabbitmq", "redis"]),
    );
  });

  it("have no problem", () => {
    const problems = SHIPPED_DOMAINS.flatMap(({ runbooks }) =>
      runbooks.flatMap(({ source: file, markdown }) =>
        parseChecks(markdown).problems.map(({ line, message }) => `${file}:${line}: ${message}`),
      ),
    );
    expect(problems).toEqual([]);
    const invalid = SHIPPED_CHECKS.flatMap(({ id, check }) =>
      LANGUAGES[check.language].validate(check.query).map(({ message }) => `${id}: ${message}`),
    );
    expect(invalid).toEqual([]);
  });

  it("have situations for each of their rules, and no others", () => {
    expect([...SITUATIONS.keys()].toSorted()).toEqual(SHIPPED_CHECKS.map(({ id }) => id).toSorted());
    const wrong = SHIPPED_CHECKS.filter(({ id, check }) => {
      const situations = SITUATIONS.get(id);
      return (
        situations?.language !== check.language ||
        (situations.confirmed !== undefined) !== (check.confirms !== null) ||
        (situations.refuted !== undefined) !== (check.refutes !== null)
      );
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

const metricCases = SHIPPED_CHECKS.flatMap(({ id, check }) => {
  const situations = SITUATIONS.get(id);
  if (situations?.language !== "promql") return [];
  return VERDICTS.flatMap((name) => {
    const samples = situations[name];
    return samples ? [{ id, check, situations, name, samples }] : [];
  });
}).map((each, i) => ({ ...each, alert: alertSituation(each.situations, `${each.id}-${each.name}`, i + 1) }));

describe.skipIf(program === null)("a check of metrics", () => {
  let prometheus: Prometheus;
  beforeAll(async () => {
    const history = metricCases.flatMap(({ situations, samples, alert }) => historyOf(situations, samples, alert));
    prometheus = await startPrometheus(program ?? "", { history });
  }, 120_000);
  afterAll(() => prometheus?.[Symbol.asyncDispose]());

  const judged = async (check: ParsedCheck, { labels, at }: AlertSituation): Promise<Judgement> => {
    const prepared = promql.prepare(check.query, { labels, match: check.match, now: at });
    if (!prepared.ok) throw new Error(prepared.reason);
    const client = createPrometheusClient(source("prometheus", prometheus.url), null, startTimer);
    return judge(check, await client.run(prepared.value.query, CALL));
  };

  it.each(metricCases.map((each) => [each.id, each.name, each] as const))("%s: %s", async (_id, name, each) => {
    expect(await judged(each.check, each.alert)).toMatchObject({ verdict: verdictOf[name] });
  });

  it("is inconclusive where nothing was measured", async () => {
    const results = await Promise.all(
      SHIPPED_CHECKS.flatMap(({ id, check }) => {
        const situations = SITUATIONS.get(id);
        if (situations?.language !== "promql") return [];
        return judged(check, alertWithoutData(situations)).then(({ verdict, value }) => ({ id, verdict, value }));
      }),
    );
    expect(results.length).toBeGreaterThan(60);
    expect(results.filter(({ verdict, value }) => verdict !== "inconclusive" || value !== null)).toEqual([]);
  });
});

const objectCases = SHIPPED_CHECKS.flatMap(({ id, check }) => {
  const situations = SITUATIONS.get(id);
  if (situations?.language !== "k8s") return [];
  const cases = VERDICTS.flatMap((name) => {
    const objects = situations[name];
    return objects
      ? [{ check, labels: situations.labels, objects, verdict: verdictOf[name], case: `${id}: ${name}` }]
      : [];
  });
  const nothing = { check, labels: situations.labels, objects: [], verdict: "inconclusive", case: `${id}: no object` };
  return [...cases, nothing];
});

describe("a check of objects", () => {
  let cluster: ClusterServer;
  beforeAll(async () => {
    cluster = await clusterServer({ token: null });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  it.each(objectCases.map((each) => [each.case, each] as const))(
    "%s",
    async (_case, { check, labels, objects, verdict }) => {
      cluster.objects = [...objects];
      const prepared = k8s.prepare(check.query, { labels, match: check.match, now: new Date() });
      if (!prepared.ok) throw new Error(prepared.reason);
      const client = createKubernetesClient(source("kubernetes", cluster.url), null, startTimer);
      expect(judge(check, await client.run(prepared.value.query, CALL))).toMatchObject({ verdict });
    },
  );
});
