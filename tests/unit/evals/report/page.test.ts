import { describe, expect, it } from "vitest";
import { renderPage } from "../../../../evals/report/page.ts";
import type { CorpusAnswers } from "../../../../evals/runs/relevance-answers.ts";
import { type EvalRun, METRIC_NAMES } from "../../../../evals/runs/run-file.ts";
import { caseOf, HOSTILE_SCRIPT, runOf, sampleRuns } from "../sample-runs.ts";

const pageOf = async (...runs: EvalRun[]) => String(await renderPage(runs));
/** The visible text, on one line. */
const textOf = (page: string) =>
  page
    .replace(/<(style|head|svg)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ");
const sectionOf = (page: string, id: string) =>
  textOf(page.match(new RegExp(`<section id="${id}"[\\s\\S]*?</section>`))?.[0] ?? "");

describe("the page of the report", () => {
  it("starts with the number of passed cases and the changes", async () => {
    const passed = caseOf("a", [{}]);
    const failed = caseOf("a", [{ failures: ["The outcome is unknown."], status: "timed_out" }]);
    const page = await pageOf(runOf({ id: "1", cases: [passed] }), runOf({ id: "2", cases: [failed], repeats: 1 }));
    expect(textOf(page)).toContain(
      "0 of 1 case passed. 1 regressed and 0 improved since the previous run. Of 1 trial, 1 timed out.",
    );
  });

  it("shows the details of the run", async () => {
    const judge = { model: "anthropic:claude-haiku-4-5", passes: 3 };
    const details = sectionOf(await pageOf(runOf({ judge })), "run");
    expect(details).toContain("0.1.0 at http://127.0.0.1:8787");
    expect(details).toContain("5b9ec7de10ce");
    expect(details).toContain("22 Nov 2026, 12:15 UTC, took 72 s");
    expect(details).toContain("anthropic:claude-haiku-4-5, 3 passes");
  });

  it("shows each metric with its spread, its change and the reference", async () => {
    const ranked = (...values: number[]) =>
      caseOf(
        "a",
        values.map((RetrievalHit) => ({ metrics: { RetrievalHit } })),
      );
    const page = await pageOf(
      runOf({ id: "1", cases: [ranked(0, 0.25)] }),
      runOf({ id: "2", cases: [ranked(1, 0.5)] }),
    );
    expect(sectionOf(page, "metrics")).toContain(
      "RetrievalHit 0.750 ▲ +0.625 better ±0.250 over repeats ✓ reference 0.538 1 case",
    );
  });

  it("compares BaselineScore with its reference without a verdict", async () => {
    const judged = caseOf("a", [
      { metrics: { KeywordScore: 0.5, BaselineScore: 0.5 }, judged: { KeywordScore: [0.25, 0.75] } },
    ]);
    const metrics = sectionOf(await pageOf(runOf({ cases: [judged] })), "metrics");
    expect(metrics).toContain("KeywordScore 0.500 ±0.250 over judge passes ✗ below reference 0.925");
    expect(metrics).toContain("BaselineScore 0.500 reference 0.829");
  });

  it("shows the failed expectations, the answer and the retrieved texts of a failing case", async () => {
    const retrieved = [
      { source: "docker/exit-codes.md", heading: "Exit code 137", score: 0.5, probability: 0.25, isExpected: true },
      { source: "docker/disk.md", heading: "Disk full", score: 1, probability: 0.75, isExpected: false },
    ];
    const incidents = [{ id: "inc-7", title: "The same last week", score: 0.7123, isExpected: true }];
    const failures = ["The outcome is unknown, expected was cause."];
    const trials = [{}, { failures, retrieved, incidents, outcome: "unknown", confidence: 0.31, traceId: "4bf92f35" }];
    const page = await pageOf(runOf({ cases: [caseOf("oom", trials)] }));
    const failing = sectionOf(page, "failing");
    expect(failing).toContain("retrieval · docker · oom · failed in 1 of 2 trials");
    expect(failing).toContain("The outcome is unknown, expected was cause. 1 of 2");
    expect(failing).toContain("Answer of trial 2 outcome unknown · confidence 0.31 · 400 ms");
    expect(failing).toContain("★ expected Exit code 137 docker/exit-codes.md score0.500 probability0.25");
    expect(failing).toContain("★ expected The same last week inc-7 · score 0.712");
    expect(failing).toContain("Trace 4bf92f35");
    expect(page).toContain(`<span style="width:50.0%">`);
  });

  it("begins with failing, then changed, then passed cases, and the passed ones are collapsed", async () => {
    const page = await pageOf(...sampleRuns());
    const ids = [...page.matchAll(/<section id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids.slice(0, 4)).toEqual(["failing", "changes", "passed", "metrics"]);
    expect(page).toMatch(/<section id="passed"[^>]*>\s*<h2[^>]*>Passed cases<\/h2>\s*<details><summary>/);
  });

  it("lists new failures before old ones, and those of all trials before those of some, else in the run's order", async () => {
    const wrong = { failures: ["It is wrong."] };
    const failing = (id: string) => caseOf(id, [wrong, wrong]);
    const flaky = (id: string) => caseOf(id, [{}, wrong]);
    const passing = (id: string) => caseOf(id, [{}, {}]);
    const before = runOf({ id: "1", cases: [failing("old-a"), failing("old-b"), passing("fresh"), passing("flaky")] });
    const cases = [
      flaky("old-a"),
      failing("old-b"),
      failing("added"),
      flaky("flaky"),
      failing("fresh"),
      failing("old-c"),
    ];
    const page = await pageOf(before, runOf({ id: "2", cases }));
    const order = [...sectionOf(page, "failing").matchAll(/([\w-]+) · failed in \d/g)].map(([, id]) => id);
    expect(order).toEqual(["fresh", "flaky", "added", "old-c", "old-b", "old-a"]);
    expect(sectionOf(page, "failing")).toMatch(/fresh · failed .* ▼ passed in the previous run/);
    expect(sectionOf(page, "failing")).toMatch(/old-b · failed .* failed in the previous run, too/);
    expect(sectionOf(page, "changes")).toContain("fresh · fails, see above");
  });

  it("has a sentence in place of each empty section", async () => {
    const page = await pageOf(runOf());
    expect(textOf(page)).toContain("The run has no case.");
    for (const [id, words] of [
      ["metrics", "No metric applies to these cases."],
      ["runs", "no metric was measured in two runs yet"],
      ["categories", "The run has no case."],
      ["calibration", "No answer has both a confidence and a known right answer."],
      ["latency", "No trial was answered"],
      ["changes", "There is no previous run"],
      ["failing", "The run has no case."],
      ["passed", "No case passed."],
    ] as const) {
      expect(sectionOf(page, id)).toContain(words);
    }
    const good = await pageOf(
      runOf({ id: "1", cases: [caseOf("a", [{}])] }),
      runOf({ id: "2", cases: [caseOf("a", [{}])] }),
    );
    expect(sectionOf(good, "failing")).toContain("No case failed.");
    expect(sectionOf(good, "changes")).toMatch(/No case regressed\..*No case improved\./);
  });

  it("shows the figures of the calibration and how to read them", async () => {
    const sure = (id: string, isRight: boolean) => caseOf(id, [{ confidence: 0.9, isRight }]);
    const cases = [sure("a", true), sure("b", true), caseOf("c", [{ confidence: 0.1, isRight: false }])];
    const calibration = sectionOf(await pageOf(runOf({ cases })), "calibration");
    expect(calibration).toContain("Answers3 of 3 cases, 0.67 of them right");
    expect(calibration).toContain("Expected calibration error0.100");
    expect(calibration).toContain("AUROC1.000");
    expect(calibration).toContain("Coverage at 5 % risk0.667");
    expect(calibration).toContain("How to read these figures");
  });

  it("shows the calibration of the relevance model only with answers of its bench", async () => {
    const graded = (confidence: number, isRight: boolean, i: number) => ({ caseId: `${i}`, confidence, isRight });
    const corpora: CorpusAnswers[] = [
      { name: "first <b>", answers: [graded(0.95, true, 1), graded(0.15, false, 2)] },
      { name: "second", answers: [graded(0.75, true, 3)] },
    ];
    expect(sectionOf(await pageOf(runOf()), "relevance")).toBe("");
    const page = String(await renderPage([runOf()], corpora));
    const relevance = sectionOf(page, "relevance");
    expect(relevance).toContain("Answers3 of 3 cases");
    expect(relevance).toContain("first &lt;b&gt;20.501.0000.1000.0130.5000.500");
    expect(relevance).toContain("second11.00–0.2500.0631.0001.000");
    expect(page).toContain(
      "Reliability diagram of 3 answers: of 1 answer with a confidence of 0.1 – 0.2, 0.00 are right",
    );
    expect(sectionOf(String(await renderPage([runOf()], [])), "relevance")).toContain("has no answer");
  });

  it("loads no external content and runs no script", async () => {
    const page = await pageOf(...sampleRuns());
    expect(page.match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/)?.[1]).toMatch(
      /^default-src &#39;none&#39;; /,
    );
    expect(page.match(/<(?:script|iframe|object|embed|form|base)\b|@import/)).toBeNull();
    expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].every(([, target]) => /^#|^data:,$/.test(target ?? ""))).toBe(
      true,
    );
    expect([...page.matchAll(/url\(([^)]*)\)/g)].every(([, target]) => target?.startsWith("#"))).toBe(true);
  });

  it("has unique ids and no dangling references", async () => {
    const page = await pageOf(...sampleRuns());
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id ?? "");
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...page.matchAll(/(?:href="|url\()#([\w-]+)/g)].map(([, id]) => id ?? "");
    expect(references.filter((id) => !ids.includes(id))).toEqual([]);
    expect(references.length).toBeGreaterThan(METRIC_NAMES.length);
  });

  it("has a text alternative for each chart", async () => {
    const labels = [...(await pageOf(...sampleRuns())).matchAll(/role="img" aria-label="([^"]*)"/g)].map(
      ([, label]) => label,
    );
    expect(labels.length).toBeGreaterThanOrEqual(14);
    expect(labels.find((label) => label?.startsWith("RetrievalHit"))).toMatch(
      /^RetrievalHit over runs, oldest first: (0\.\d{3}(, | and |\.$)){6}$/,
    );
    expect(labels.every((label) => /\d/.test(label ?? ""))).toBe(true);
  });

  it("escapes all text of a run", async () => {
    const hostile = HOSTILE_SCRIPT;
    const trial = { failures: [hostile], summary: hostile, outcome: hostile, traceId: hostile, error: hostile };
    const page = await pageOf(
      runOf({
        id: hostile,
        subject: {
          version: hostile,
          commit: hostile,
          url: hostile,
          models: hostile,
          reranker: hostile,
          embedding: hostile,
        },
        judge: { model: hostile, passes: 1 },
        cases: [
          { ...caseOf(hostile, [trial, { ...trial, status: "failed" }]), title: hostile, domain: hostile },
          {
            ...caseOf("b", [
              {
                ...trial,
                retrieved: [{ source: hostile, heading: hostile, score: -1, probability: 0, isExpected: false }],
                incidents: [{ id: hostile, title: hostile, score: 0, isExpected: false }],
              },
            ]),
          },
        ],
      }),
    );
    expect(page).not.toContain("<script");
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;script&gt;");
  });

  it("is the same for the same runs", async () => {
    expect(await pageOf(...sampleRuns())).toBe(await pageOf(...sampleRuns()));
  });

  it("needs at least one run", () => {
    expect(() => renderPage([])).toThrow(RangeError);
  });
});
