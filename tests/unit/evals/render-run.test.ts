import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderRun } from "../../../evals/render-run.ts";
import { type CaseResult, type EvalRun, evalRunSchema, type Trial } from "../../../evals/runs/run-file.ts";
import { runIdOf, storedRuns, storeRun } from "../../../evals/runs/run-store.ts";

function trial(metrics: Trial["metrics"], failures: string[] = []): Trial {
  return {
    status: "answered",
    error: null,
    elapsedMs: 12,
    metrics,
    judged: {},
    confidence: 0.8,
    isRight: true,
    isCandidateRight: null,
    outcome: "cause",
    summary: "",
    retrieved: [],
    incidents: [],
    traceId: null,
    failures,
  };
}

function result(id: string, values: readonly number[]): CaseResult {
  const trials = values.map((OutcomeRight) => trial({ OutcomeRight }));
  return { id, category: "retrieval", domain: "docker", title: id, trials };
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

describe("renderRun", () => {
  const options = { width: 120, color: false };
  const failing = { ...result("b", [0]), trials: [trial({ OutcomeRight: 0 }, ["The outcome\u001b[31m is unknown."])] };

  it("shows mean, spread, number of cases, the previous run and the change", () => {
    const run = runOf([result("a", [1, 0, 1]), result("b", [1, 1, 1])]);
    const text = renderRun(run, runOf([result("a", [1])], "20261121T120000Z-ab11"), options);
    expect(text).toMatch(/OutcomeRight +0\.833 +± 0\.250 +2 +1\.000 +−0\.333 +over the 1 cases of both runs/);
    expect(text).toContain("Every case passed.");
  });

  it("shows the spread of the judge's passes beside the spread of the repeats", () => {
    const judged = { KeywordScore: [0.5, 0.75, 1] };
    const trials = [{ ...trial({ OutcomeRight: 1, KeywordScore: 0.75 }), judged }];
    const run = { ...runOf([{ ...result("a", [1]), trials }]), judge: { model: "m", passes: 3 } };
    const text = renderRun(run, null, options);
    expect(text).toMatch(/metric +mean +spread +judge spread +cases/);
    expect(text).toMatch(/\nKeywordScore +0\.750 +± 0\.250 +1 /);
    expect(text).toContain("the judge's passes over the same answers");
  });

  it("shows failed cases with their reasons, without terminal escapes", () => {
    const text = renderRun(runOf([failing]), null, options);
    expect(text).toContain("1 of 1 cases failed\n  retrieval/b\n      The outcome [31m is unknown.");
    expect(text).not.toContain("\u001b");
  });
});

describe("the folder of stored runs", () => {
  it("keeps the newest fifty, returns them oldest first, and skips invalid files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dejavu-runs-"));
    try {
      expect(storedRuns(join(folder, "nowhere"))).toEqual({ runs: [], unreadable: [] });
      for (let minute = 0; minute < 52; minute++) {
        const id = runIdOf(new Date(Date.UTC(2026, 10, 22, 12, minute)), "ab12");
        storeRun(folder, runOf([result("a", [1])], id));
      }
      await writeFile(join(folder, "20991122T120000Z-ab12.json"), "{");
      await writeFile(join(folder, "notes.json"), "{}");
      expect(await readdir(folder)).toHaveLength(52);
      const { runs, unreadable } = storedRuns(folder);
      expect(runs.slice(-2).map(({ id }) => id)).toEqual(["20261122T125000Z-ab12", "20261122T125100Z-ab12"]);
      expect(unreadable).toHaveLength(2);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
