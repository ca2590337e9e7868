import { describe, expect, it } from "vitest";
import type { Reranker, RerankLimits } from "../../../../functions/adapters/reranker.ts";
import { DependencyError } from "../../../../functions/dependencies.ts";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { citableTexts, limitFor, rankedHits } from "../../../../functions/investigation/evidence/citable-texts.ts";
import { recalledHits } from "../../../../functions/investigation/evidence/recalled-hits.ts";
import type { Recall, RecalledRunbook } from "../../../../functions/investigation/recall/recall-result.ts";
import { rerank, scoreContributions } from "../../../../functions/investigation/recall/rerank.ts";
import { probabilityOf } from "../../../../functions/investigation/relevance/relevance.ts";
import { type Calibration, DEFAULT_CALIBRATION } from "../../../../functions/schemas/calibration.ts";
import { hitOf, recallOf, sampleIncident, sampleRunbook, sampleServices, THRESHOLDS } from "../samples.ts";

interface RerankRequest {
  readonly query: string;
  readonly texts: readonly string[];
  readonly limits: RerankLimits | undefined;
}

/** Scores a text by its first number. */
function sampleReranker(fails?: Error): Reranker & { readonly requests: readonly RerankRequest[] } {
  const requests: RerankRequest[] = [];
  return {
    model: "sample",
    requests,
    async rerank(query, texts, limits) {
      requests.push({ query, texts, limits });
      if (fails) throw fails;
      return texts.map((text) => Number(/\d+/.exec(text)?.[0]));
    },
  };
}

/** A runbook whose title contains its score. */
function runbookOf(source: string, figure: number, { score = 0.01, probability = 0.8 } = {}): RecalledRunbook {
  const text = `# Runbook ${figure}\n\nIntro.\n\n## Root causes\n\n- Cause of ${source}.\n\n## Mitigate\n\n- Fix.\n`;
  const runbook = sampleRunbook(text, { source, probability });
  return { ...runbook, hits: runbook.sections.map((section, i) => hitOf(section, score - i / 1_000)) };
}

const RUN = { remainingBudget: (leave: number) => 10_000 * (1 - leave), cancelled: undefined };
const RECALLED = recallOf({ runbooks: [runbookOf("a", 2, { score: 0.03 }), runbookOf("b", 7), runbookOf("c", 5)] });

function rerankSamples(
  recalled: Recall,
  {
    reranker = sampleReranker(),
    environment = {},
    incident = sampleIncident(),
    calibration = DEFAULT_CALIBRATION,
  }: {
    reranker?: Reranker | null;
    environment?: Record<string, string>;
    incident?: typeof BARE;
    calibration?: Calibration;
  } = {},
) {
  const services = sampleServices({ environment, ...(reranker ? { reranker } : {}) });
  return rerank(services, RUN, incident, { recalled, calibration });
}

const BARE = sampleIncident({ title: "why?", question: "why?", target: null });
const sourcesOf = ({ runbooks }: Recall) => runbooks.map(({ source }) => source);

describe("the order of runbooks", () => {
  it("is the reranker's, with place and score of every document before and after", async () => {
    const recalled = await rerankSamples(RECALLED);
    expect(sourcesOf(recalled)).toEqual(["b", "c", "a"]);
    expect(recalled.reranking).toEqual({
      model: "sample",
      documents: [
        { source: "b", title: "Runbook 7", before: { place: 2, score: 0.01 }, after: { place: 1, score: 7 } },
        { source: "c", title: "Runbook 5", before: { place: 3, score: 0.01 }, after: { place: 2, score: 5 } },
        { source: "a", title: "Runbook 2", before: { place: 1, score: 0.03 }, after: { place: 3, score: 2 } },
      ],
    });
  });

  it("is the recall's at equal scores", async () => {
    const equal = recallOf({ runbooks: ["a", "b", "c", "d"].map((source) => runbookOf(source, 5)) });
    expect(sourcesOf(await rerankSamples(equal))).toEqual(["a", "b", "c", "d"]);
  });

  it("is the recall's after the candidates", async () => {
    const reranker = sampleReranker();
    const recalled = await rerankSamples(
      { ...RECALLED, runbooks: [...RECALLED.runbooks, runbookOf("d", 9)] },
      { reranker, environment: { RERANK_CANDIDATES: "2", TOP_K: "2" } },
    );
    expect(sourcesOf(recalled)).toEqual(["b", "a", "c", "d"]);
    expect(recalled.reranking?.documents).toHaveLength(2);
    expect(reranker.requests[0]?.texts).toHaveLength(2);
  });

  it("begins with the attached runbook, which is not reranked", async () => {
    const named = runbookOf("named", 0);
    const [best, ...others] = named.hits;
    if (!best) throw new Error("The sample has no hit.");
    const attached = {
      ...named,
      hits: [{ ...best, score: 1, contributions: { attached: { rank: 1, value: 1 } } }, ...others],
    };
    const reranker = sampleReranker();
    const recalled = await rerankSamples({ ...RECALLED, runbooks: [attached, ...RECALLED.runbooks] }, { reranker });
    expect(sourcesOf(recalled)).toEqual(["named", "b", "c", "a"]);
    expect(recalled.reranking?.documents.map(({ before, after }) => [before.place, after.place])).toEqual([
      [3, 2],
      [4, 3],
      [2, 4],
    ]);
    expect(reranker.requests[0]?.texts.join()).not.toContain("named");
  });

  it("is not requested with fewer than two candidates or without a reranker", async () => {
    const reranker = sampleReranker();
    for (const runbooks of [[], [runbookOf("a", 1)]]) {
      const few = recallOf({ runbooks });
      expect(await rerankSamples(few, { reranker })).toBe(few);
    }
    expect(reranker.requests).toEqual([]);
    expect(await rerankSamples(RECALLED, { reranker: null })).toBe(RECALLED);
  });
});

describe("a request to the reranker", () => {
  it("has the searches' query with error lines, and the best sections of each runbook", async () => {
    const reranker = sampleReranker();
    const incident = sampleIncident({ logs: "all is well\n2026-03-01T02:59:00Z FATAL: out of memory\n" });
    await rerankSamples(RECALLED, { reranker, incident });
    expect(reranker.requests).toMatchObject([
      { query: "oom killed api-gateway container exited with code 137\nFATAL: out of memory" },
    ]);
    expect(reranker.requests[0]?.texts[0]).toBe("Runbook 2\n\nIntro.\n\nRunbook 2 › Root causes\n\n- Cause of a.");
  });

  it("fits a small model", async () => {
    const reranker = sampleReranker();
    const long = sampleRunbook(`# Long 1\n\n${"word ".repeat(5_000)}`, { source: "long", size: 5_000 });
    const incident = sampleIncident({ title: "word ".repeat(500) });
    await rerankSamples({ ...RECALLED, runbooks: [long, ...RECALLED.runbooks] }, { reranker, incident });
    const [requests] = reranker.requests;
    expect(requests?.query.length).toBeLessThanOrEqual(500);
    expect(Math.max(...(requests?.texts ?? []).map((text) => text.length))).toBeLessThanOrEqual(1_500);
  });

  it("has the remaining budget less the share of the answer", async () => {
    const reranker = sampleReranker();
    await rerankSamples(RECALLED, { reranker });
    expect(reranker.requests[0]?.limits).toMatchObject({ remainingMs: 6_000, cancelled: undefined });
    // The names of the report are hidden in query and texts, if names are hidden.
    expect(reranker.requests[0]?.limits).toMatchObject({ nameHints: ['target="api-gateway"'] });
  });
});

describe("a failing reranker", () => {
  it("keeps the order of the recall and is reported as missing", async () => {
    const failure = new DependencyError("reranker", "timeout", "no answer within 2000 ms");
    const before = { ...RECALLED, missing: [new DependencyError("vector_store", "unreachable", "x")] };
    const recalled = await rerankSamples(before, { reranker: sampleReranker(failure) });
    expect(recalled).toEqual({ ...before, missing: [...before.missing, failure] });
  });

  it("does not hide a bug", async () => {
    await expect(rerankSamples(RECALLED, { reranker: sampleReranker(new TypeError("oops")) })).rejects.toThrow(
      TypeError,
    );
  });

  it("is logged without content", async () => {
    const failure = new DependencyError("reranker", "busy", "the server answered 429");
    const services = sampleServices({ reranker: sampleReranker(failure) });
    await rerank(services, RUN, sampleIncident(), { recalled: RECALLED, calibration: DEFAULT_CALIBRATION });
    expect(services.logged).toEqual([
      {
        event: "warn triage.rerank_failed",
        fields: { error: "reranker: the server answered 429" },
      },
    ]);
  });
});

describe("the score of the reranker", () => {
  const relevancesOf = ({ runbooks }: Recall) =>
    new Map(runbooks.map(({ source, relevance }) => [source, relevance] as const));

  it("adds half its standard score to the log-odds and to the contributions", async () => {
    const before = relevancesOf(RECALLED);
    const after = relevancesOf(await rerankSamples(RECALLED));
    // Scores 2, 7 and 5: mean 14/3, standard deviation √(38/9).
    for (const [source, score] of [["a", 2] as const, ["b", 7] as const, ["c", 5] as const]) {
      const added = (0.5 * (score - 14 / 3)) / Math.sqrt(38 / 9);
      const relevance = after.get(source);
      expect(relevance?.contributions.reranker).toBeCloseTo(added, 10);
      expect(relevance?.logOdds).toBeCloseTo((before.get(source)?.logOdds ?? 0) + added, 10);
      expect(relevance?.probability).toBeCloseTo(probabilityOf(relevance?.logOdds ?? 0), 10);
      const sum = Object.values(relevance?.contributions ?? {}).reduce((total, each) => total + each, 0);
      expect(sum).toBeCloseTo(relevance?.logOdds ?? 0, 10);
    }
  });

  it("is turned into a probability by the calibration of the run", async () => {
    const calibration = { slope: 0.5, intercept: -1 };
    for (const { logOdds, probability } of relevancesOf(await rerankSamples(RECALLED, { calibration })).values())
      expect(probability).toBeCloseTo(probabilityOf(0.5 * logOdds - 1), 10);
  });

  it("adds at most 1 and nothing at equal scores", () => {
    expect(scoreContributions([...Array<number>(20).fill(0), 1_000])).toEqual([
      ...Array(20).fill(expect.any(Number)),
      1,
    ]);
    expect(scoreContributions([...Array<number>(20).fill(0), -1_000]).at(-1)).toBe(-1);
    expect(scoreContributions([5, 5, 5])).toEqual([0, 0, 0]);
    for (const scores of [
      [0.1, 0.3],
      [-20, 400],
    ])
      expect(scoreContributions(scores)).toEqual([expect.closeTo(-0.5), expect.closeTo(0.5)]);
  });

  it("leaves runbooks beyond the candidates as they are", async () => {
    const recalled = await rerankSamples(RECALLED, { environment: { RERANK_CANDIDATES: "2", TOP_K: "2" } });
    expect(relevancesOf(recalled).get("c")).toEqual(relevancesOf(RECALLED).get("c"));
  });
});

describe("an answer after reranking", () => {
  it("rests on the first of two equally probable runbooks", async () => {
    const recall = recallOf({
      runbooks: [runbookOf("a", 2, { probability: 0.9 }), runbookOf("b", 7, { probability: 0.9 })],
    });
    const before = createExtractiveAnswer(sampleIncident(), recall, { thresholds: THRESHOLDS });
    expect(before).toMatchObject({ confidence: 0.9, answer: { likely_causes: [{ text: "Cause of a." }] } });
    const after = createExtractiveAnswer(sampleIncident(), await rerankSamples(recall), {
      thresholds: THRESHOLDS,
    });
    expect(after).toMatchObject({
      confidence: expect.closeTo(0.937, 3),
      answer: { likely_causes: [{ text: "Cause of b." }] },
    });
  });

  it("does not rest on a less probable runbook in first place", async () => {
    const recall = recallOf({
      runbooks: [runbookOf("a", 2, { probability: 0.9 }), runbookOf("b", 7, { probability: 0.3 })],
    });
    const after = await rerankSamples(recall);
    expect(sourcesOf(after)).toEqual(["b", "a"]);
    expect(createExtractiveAnswer(sampleIncident(), after, { thresholds: THRESHOLDS })).toMatchObject({
      outcome: "cause",
      confidence: expect.closeTo(0.845, 3),
      answer: { likely_causes: [{ text: "Cause of a." }] },
    });
    const nothing = recallOf({
      runbooks: [runbookOf("a", 2, { probability: 0.1 }), runbookOf("b", 7, { probability: 0.2 })],
    });
    expect(
      createExtractiveAnswer(sampleIncident(), await rerankSamples(nothing), { thresholds: THRESHOLDS }).outcome,
    ).toBe("unknown");
  });

  it("shows a model all of the first runbook and the best section of each other", async () => {
    const texts = citableTexts(await rerankSamples(RECALLED), { RUNBOOK_RECALL_LIMIT: 3 });
    expect(texts.map(({ document }) => document.id)).toEqual(["b#0", "b#1", "b#2", "c#0", "a#0"]);
  });

  it("shows the runbooks in the new order with the searches' scores", async () => {
    const recalled = await rerankSamples(RECALLED);
    const ids = rankedHits(recalled, { RUNBOOK_RECALL_LIMIT: 5 }).map(({ hit }) => hit.document.id);
    expect(ids).toEqual(["b#0", "c#0", "a#0", "b#1", "c#1"]);
    const { runbooks, reranking } = recalledHits(recalled, { POSSIBLE_THRESHOLD: 0.5, RUNBOOK_RECALL_LIMIT: 3 });
    expect(runbooks.map(({ score }) => score)).toEqual([0.01, 0.01, 0.03]);
    expect(reranking?.documents.map(({ source }) => source)).toEqual(["b", "c", "a"]);
  });
});

describe("the number of shown sections", () => {
  const config = { TOP_K: 3, RUNBOOK_RECALL_LIMIT: 5 };
  const limitOf = (changes: Partial<typeof BARE>) => limitFor({ ...BARE, ...changes }, config).RUNBOOK_RECALL_LIMIT;

  it("is TOP_K for a bare question", () => {
    expect(limitOf({})).toBe(3);
  });

  it.each([
    ["a title of its own", { title: "api-gateway is down" }],
    ["a target", { target: "api-gateway" }],
    ["labels", { labels: { container_runtime: "docker" } }],
    ["logs", { logs: "FATAL" }],
    ["no question", { question: null }],
  ])("is RUNBOOK_RECALL_LIMIT for a report with %s", (_, changes) => {
    expect(limitOf(changes)).toBe(5);
  });
});
