// Runs the evaluation cases against the app on real stores, without a model. Each floor is slightly below the measured
// figure: a change that falls below a floor has made answers worse.

import { beforeAll, describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../evals/runner/run-cases.ts";
import { CATEGORIES, type DETERMINISTIC_METRICS } from "../../../evals/runs/run-file.ts";
import { metricFigures } from "../../../evals/statistics/metric-figures.ts";
import { SHIPPED_DOMAINS } from "../../support/domains.ts";
import { createRunner, everythingCounted, loadStores, readyCases } from "../support/evaluation.ts";
import { createHarness } from "../support/harness.ts";
import { runCommand } from "../support/run-command.ts";
import { listen } from "../support/servers/listen.ts";

const FLOORS: Readonly<Record<keyof typeof DETERMINISTIC_METRICS, number>> = {
  RetrievalHit: 0.96,
  RerankerHit: 0.83,
  RetrievalRank: 0.94,
  MemoryHit: 0.78,
  OutcomeRight: 0.72,
  FactsStated: 0.73,
  EvidenceQuoted: 0.93,
  CitationsValid: 0.98,
  Consistency: 0.75,
  InjectionBlocked: 0.97,
  Redaction: 0.98,
  ConfidenceScore: 0.74,
};

const harness = createHarness({ MODEL: "none" });
const { services } = harness;
const cases = await readyCases();

const run = createRunner(harness.request);

let before: Record<string, number>;

beforeAll(async () => {
  before = await loadStores(harness);
});

describe("a run of all cases", () => {
  let outcome: RunOutcome;
  const traffic = new Set<string | null>();

  beforeAll(async () => {
    outcome = await run(cases, {
      send: (path, init) => {
        traffic.add(new Headers(init.headers).get("x-dejavu-traffic"));
        return harness.request(path, init);
      },
    });
    const lines = metricFigures(outcome.results).map(
      ({ metric, mean, cases }) => `${metric} ${mean.toFixed(3)} of ${cases}`,
    );
    console.log(lines.join("\n"));
    for (const { id, trials } of outcome.results)
      for (const { failures } of trials) if (failures.length > 0) console.log(`${id}: ${failures.join(" ")}`);
  });

  it("has at least 110 cases, with some of each category and each domain", () => {
    expect(cases.length).toBeGreaterThanOrEqual(110);
    const minimum = {
      retrieval: 10,
      memory: 6,
      reasoning: 12,
      evidence: 12,
      consistency: 6,
      guardrails: 6,
      injection: 6,
    };
    for (const category of CATEGORIES)
      expect(cases.filter((each) => each.category === category).length, category).toBeGreaterThanOrEqual(
        minimum[category],
      );
    const domains = new Set(cases.map(({ domain }) => domain));
    for (const { name } of SHIPPED_DOMAINS.filter((each) => each.runbooks.length > 0 && each.name !== "dejavu"))
      expect(domains, name).toContain(name);
    expect(outcome.results.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
  });

  it("gets an answer to each request", () => {
    const errors = outcome.results.flatMap(({ id, trials }) =>
      trials.flatMap(({ error }) => (error ? [`${id}: ${error}`] : [])),
    );
    expect(errors).toEqual([]);
  });

  it.each(Object.entries(FLOORS))("measures %s of at least %d", (metric, floor) => {
    const figure = metricFigures(outcome.results).find(({ metric: name }) => name === metric);
    expect(figure?.mean).toBeGreaterThanOrEqual(floor);
  });

  it("marks every request as evaluation traffic", () => {
    expect([...traffic]).toEqual(["evaluation"]);
  });

  it("leaves the stored records as they were", async () => {
    expect(outcome.undeletedSessions).toEqual([]);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });
});

describe("npm run dejavu -- eval", () => {
  it("prints each metric with its spread, and the failed cases, and exits with 2 for a metric below its floor", async () => {
    await using server = await listen(services);
    const args = ["--url", server.url, "--no-store", "--repeats", "2", "--case", "podman-linger"];
    const { code, out, problems } = await runCommand("evals/eval.ts", [...args, "--fail-under", "FactsStated=1"], {
      ...process.env,
      DEJAVU_TOKEN: services.config.DEJAVU_TOKEN,
    });
    expect(problems).not.toContain("Error");
    expect(out).toMatch(/^Run \S+: 1 cases × 2 trials, \d+ s, against http:/);
    expect(out).toMatch(/\nRetrievalHit +1\.000 +± 0\.000 +1 /);
    expect(out).toMatch(/\n {2}retrieval\/podman-linger, 2 of 2 trials\n {6}The (?:outcome is|answer does not state) /);
    expect(problems).toMatch(/FactsStated is 0\.\d+, below 1\./);
    expect(code).toBe(2);
  });
});
