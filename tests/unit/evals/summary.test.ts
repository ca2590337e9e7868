import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderRun } from "../../evals/render-run.ts";
import { type CaseResult, type Category, type EvalRun, evalRunSchema, type Trial } from "../../evals/run-file.ts";
import { runIdOf, storedRuns, storeRun } from "../../evals/run-store.ts";
import { byCategory, changesSince, figuresOf } from "../../evals/summary.ts";

function trial(metrics: Trial["metrics"], failures: string[] = []): Trial {
  return {
    status: "answered",
    error: null,
    elapsedMs: 12,
    metrics,
    judged: {},
    confidence: 0.8,
    isRight: true,
    outcome: "cause",
    summary: "",
    retrieved: [],
    incidents: [],
    traceId: null,
    failures,
  };
}

function result(id: string, values: readonly (number | undefined)[], category: Category = "retrieval"): CaseResult {
  const trials = values.map((value) => trial(value === undefined ? {} : { OutcomeRight: value }));
  return { id, category, domain: "docker", title: id, trials };
}

function runOf(cases: CaseResult[], id = "20261122T120000Z-ab12"): EvalRun {
  return evalRunSchema.parse({
    version: 1,
    id,
    startedAt: "2026-11-22T12:00:00.000Z",
    finishedAt: "2026-11-22T12:00:40.000Z",
    subject: {
      version: "0.1.0",
      commit: "abc1234",
      url: "http://127.0.0.1:8787",
      models: null,
      reranker: null,
      embedding: "use",
    },
    repeats: 3,
    judge: null,
    cases,
  });
}

describe("a figure", () => {
  it("is the mean over the cases, with half of what lies between best and worst repeat", () => {
    const cases = [result("a", [1, 1, 0]), result("b", [1, 0, 0])];
    expect(figuresOf(cases)).toEqual([{ metric: "OutcomeRight", mean: 0.5, spread: 0.5, cases: 2 }]);
  });

  it("has no spread of one repeat, and is absent where no case is about it", () => {
    expect(figuresOf([result("a", [1])])).toEqual([{ metric: "OutcomeRight", mean: 1, spread: null, cases: 1 }]);
    expect(figuresOf([result("a", [undefined])])).toEqual([]);
  });

  it("lies between the lowest and the highest value, and its spread in half of that", () => {
    const values = fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(values, (all) => {
        const [figure] = figuresOf(all.map((each, i) => result(String(i), each)));
        expect(figure?.mean).toBeGreaterThanOrEqual(Math.min(...all.flat()) - 1e-9);
        expect(figure?.mean).toBeLessThanOrEqual(Math.max(...all.flat()) + 1e-9);
        expect(figure?.spread).toBeLessThanOrEqual(0.5);
      }),
    );
  });

  it("is told by category", () => {
    const figures = byCategory([result("a", [1]), result("b", [0], "memory")]);
    expect(figures.map(({ category, figures: [figure] }) => [category, figure?.mean])).toEqual([
      ["retrieval", 1],
      ["memory", 0],
    ]);
  });
});

describe("the run before", () => {
  it("is compared over the cases that both runs measured", () => {
    const before = { cases: [result("a", [1]), result("gone", [0])] };
    const now = { cases: [result("a", [0.5]), result("new", [1])] };
    expect(changesSince(now, before).get("OutcomeRight")).toEqual({ before: 1, difference: -0.5, cases: 1 });
    expect(changesSince(now, { cases: [] }).size).toBe(0);
  });
});

describe("the tables", () => {
  const options = { width: 120, color: false };
  const failing = { ...result("b", [0]), trials: [trial({ OutcomeRight: 0 }, ["The outcome\u001b[31m is unknown."])] };

  it("show mean, spread, cases, the run before and the change", () => {
    const run = runOf([result("a", [1, 0, 1]), result("b", [1, 1, 1])]);
    const text = renderRun(run, runOf([result("a", [1])], "20261121T120000Z-ab11"), options);
    expect(text).toMatch(/OutcomeRight +0\.833 +± 0\.250 +2 +1\.000 +−0\.333 +over the 1 cases of both/);
    expect(text).toContain("Every case passed.");
  });

  it("show what failed and why, without what would steer a terminal", () => {
    const text = renderRun(runOf([failing]), null, options);
    expect(text).toContain("1 of 1 cases failed\n  retrieval/b\n      The outcome [31m is unknown.");
    expect(text).not.toContain("\u001b");
  });
});

describe("the folder of runs", () => {
  it("keeps the newest fifty, reads them oldest first, and passes over what is no run", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dejavu-runs-"));
    try {
      expect(storedRuns(join(folder, "nowhere"), 3)).toEqual([]);
      for (let minute = 0; minute < 52; minute++) {
        const id = runIdOf(new Date(Date.UTC(2026, 10, 22, 12, minute)), "ab12");
        storeRun(folder, runOf([result("a", [1])], id));
      }
      await writeFile(join(folder, "20991122T120000Z-ab12.json"), "{");
      await writeFile(join(folder, "notes.json"), "{}");
      expect(await readdir(folder)).toHaveLength(52);
      expect(storedRuns(folder, 2).map(({ id }) => id)).toEqual(["20261122T125000Z-ab12", "20261122T125100Z-ab12"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
