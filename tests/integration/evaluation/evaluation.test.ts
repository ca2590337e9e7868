// Runs some evaluation cases against the app on real stores, without a model, and asks for the project's own runbooks. Each
// floor of the cases is the reached figure less one case, and for attacks and secrets the figure itself.
// tests/extended/evaluation/everything.test.ts runs and asks all of them.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { RunOutcome } from "../../../evals/runner/run-cases.ts";
import { CATEGORIES } from "../../../evals/runs/run-file.ts";
import { SHIPPED_DOMAINS } from "../../support/domains.ts";
import {
  createRunner,
  errorsOf,
  everythingCounted,
  type Floors,
  kindsOf,
  loadStores,
  meansOf,
  readyCases,
  representativeCases,
} from "../support/evaluation.ts";
import { createHarness } from "../support/harness.ts";
import { runCommand } from "../support/run-command.ts";
import { listen } from "../support/servers/listen.ts";
import { describeRecall } from "./recall-of-runbooks.ts";

const FLOORS: Floors = {
  RetrievalHit: 0.85,
  RerankerHit: 0.71,
  RetrievalRank: 0.85,
  MemoryHit: 0.5,
  OutcomeRight: 0.85,
  FactsStated: 0.5,
  EvidenceQuoted: 1,
  CitationsValid: 0.92,
  Consistency: 0.66,
  InjectionBlocked: 1,
  Redaction: 1,
  ConfidenceScore: 0.75,
};

const harness = createHarness({ MODEL: "none" });
const { services } = harness;
const cases = await readyCases();
const sample = representativeCases(cases);

let before: Record<string, number>;

beforeAll(async () => {
  before = await loadStores(harness);
});

describe("the cases", () => {
  it("are at least 110, with some of each category and each domain", () => {
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
  });
});

describe("a run of one case of each kind", () => {
  let outcome: RunOutcome;
  let means: ReadonlyMap<string, number>;
  const traffic = new Set<string | null>();

  beforeAll(async () => {
    outcome = await createRunner(harness)(sample, {
      send: (path, init) => {
        traffic.add(new Headers(init.headers).get("x-dejavu-traffic"));
        return harness.request(path, init);
      },
    });
    means = meansOf(outcome.results);
  });

  it("gets an answer to each request", () => {
    expect(new Set(sample.flatMap(kindsOf))).toEqual(new Set(cases.flatMap(kindsOf)));
    expect(outcome.results.map(({ id }) => id)).toEqual(sample.map(({ id }) => id));
    expect(errorsOf(outcome.results)).toEqual([]);
  });

  it.each(Object.entries(FLOORS))("measures %s of at least %d", (metric, floor) => {
    expect(means.get(metric)).toBeGreaterThanOrEqual(floor);
  });

  it("marks every request as evaluation traffic", () => {
    expect([...traffic]).toEqual(["evaluation"]);
  });

  it("leaves the stored records as they were", async () => {
    expect(outcome.undeletedSessions).toEqual([]);
    expect(await everythingCounted(services.vectors)).toEqual(before);
  });
});

describe("dejavu eval", () => {
  it("prints each metric with its spread, and the failed cases, and exits with 2 for a metric below its floor", async () => {
    await using server = await listen(services);
    const runs = await mkdtemp(join(tmpdir(), "dejavu-runs-"));
    onTestFinished(() => rm(runs, { recursive: true }));
    const args = ["--url", server.url, "--runs", runs, "--repeats", "2", "--case", "podman-linger"];
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
    expect(await readdir(runs)).toEqual([expect.stringMatching(/^\d{8}T\d{6}Z-[0-9a-f]{4}\.json$/), "report.html"]);
  });
});

describe("the project's own runbooks", () => {
  describeRecall(harness);
});
