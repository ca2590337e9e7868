import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../functions/investigation/answer/extractive-answer.ts";
import type { FinalAnswer } from "../../../functions/investigation/answer/final-answer.ts";
import { plainAnswer } from "../../../functions/investigation/answer/final-answer.ts";
import { buildResult } from "../../../functions/investigation/build-result.ts";
import type { Recall } from "../../../functions/investigation/recall/recall-result.ts";
import { EMPTY_CATALOG } from "../../../functions/knowledge/domains/domain-catalog.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { NOTHING_OBSERVED } from "../../../functions/schemas/live-evidence.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import type { HybridHit } from "../../../functions/search-index/hybrid-search.ts";
import {
  recallOf,
  sampleIncident,
  sampleMemory,
  samplePastIncident,
  sampleProcedure,
  sampleRelevance,
  sampleRunbook,
} from "./samples.ts";

const RUNBOOK =
  "# Killed\n\nThe kernel did it.\n\n## Confirm\n\n1. Look.\n\n## Mitigate\n\n1. (read-only) Act.\n\n## Root causes\n\n- A cause.\n";
const CONFIG = { ANSWER_THRESHOLD: 0.5, POSSIBLE_THRESHOLD: 0.5, RUNBOOK_RECALL_LIMIT: 5, TOP_K: 3 };

function render(
  recall: Recall,
  { finalAnswer, config = CONFIG }: { finalAnswer?: FinalAnswer; config?: typeof CONFIG } = {},
) {
  const incident = sampleIncident();
  return buildResult({
    incident,
    triageId: "triage-1",
    now: new Date("2026-03-01T12:00:01Z"),
    recall,
    finalAnswer: finalAnswer ?? createExtractiveAnswer(incident, recall, { thresholds: config }),
    live: NOTHING_OBSERVED,
    guardrails: { injection_blocked: null, lines_removed: 0, redacted: {} },
    warnings: [],
    run: {
      startedAt: new Date("2026-03-01T02:59:59.500Z"),
      traffic: "production",
      usage: () => ({ calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null }),
    },
    models: null,
    catalog: EMPTY_CATALOG,
    trace: null,
    config,
  });
}

const SILENT: FinalAnswer = {
  mode: "extractive",
  removed: { citations: 0, links: 0, statements: 0 },
  critique: null,
  outcome: "unknown",
  confidence: 0,
  answer: { ...EMPTY_ANSWER, summary: { text: "Unknown.", citations: [] } },
};

const recalledRunbook = sampleRunbook(RUNBOOK);
const fixed = samplePastIncident("past-1", { resolution: "More memory.", resolved_by: "dana", target: "api" });
const full = recallOf({
  runbooks: [recalledRunbook],
  incidents: [fixed],
  pastAnswers: [sampleMemory("memory-1")],
  procedure: sampleProcedure(),
});

/** A recalled runbook with these hits. */
function withHits(hits: readonly HybridHit[], probability = 0.8): Recall {
  return recallOf({ runbooks: [{ ...recalledRunbook, relevance: sampleRelevance(probability), hits }] });
}

function hitsOf(scores: readonly number[]): HybridHit[] {
  return scores.flatMap((score, i) => {
    const document = recalledRunbook.sections[i];
    return document ? [{ document, score, contributions: { bm25: { rank: i + 1, value: score } } }] : [];
  });
}

describe("buildResult", () => {
  it("matches the schema of stored results", () => {
    const result = render(full);
    expect(triageResultSchema.parse(result)).toEqual(result);
    expect(triageResultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it("contains the incident and its routing", () => {
    expect(render(full)).toMatchObject({
      triage_id: "triage-1",
      incident_id: "incident-now",
      session_id: "session-1",
      created_at: "2026-03-01T12:00:01.000Z",
      mode: "extractive",
      title: "api-gateway container exited with code 137",
      target: "api-gateway",
      severity: "high",
      domain: { name: "docker", rule: 'words "docker"' },
      incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
      outcome: "cause",
      warnings: [],
      persisted: true,
    });
  });

  it("shows the domain, what chose it, and whether others were searched", () => {
    expect(render(full).domain).toStrictEqual({
      name: "docker",
      rule: 'words "docker"',
      decided_by: "words",
      looked_further: false,
    });
  });

  it("lists cited sources once, in the order of first mention, the summary's first", () => {
    expect(render(full).sources).toEqual([
      { id: "exit-137.md#0", kind: "runbook", title: "Killed", source: "exit-137.md", heading: "" },
      { id: "exit-137.md#3", kind: "runbook", title: "Killed", source: "exit-137.md", heading: "Root causes" },
      { id: "exit-137.md#1", kind: "runbook", title: "Killed", source: "exit-137.md", heading: "Confirm" },
      { id: "exit-137.md#2", kind: "runbook", title: "Killed", source: "exit-137.md", heading: "Mitigate" },
      { id: "past-1", kind: "incident", title: "api-gateway was OOMKilled", source: null, heading: "" },
    ]);
  });

  it("lists a past incident that the summary and the answer cite once", () => {
    expect(render(recallOf({ incidents: [fixed] })).sources).toEqual([
      { id: "past-1", kind: "incident", title: "api-gateway was OOMKilled", source: null, heading: "" },
    ]);
  });

  it("lists no source for an unknown answer", () => {
    const result = render(withHits([], 0.1));
    expect([result.outcome, result.answer.summary.citations, result.sources]).toEqual(["unknown", [], []]);
    expect(triageResultSchema.parse(result)).toEqual(result);
  });

  it("lists a similar unresolved incident for an unknown answer", () => {
    const result = render(recallOf({ incidents: [samplePastIncident("past-2", { probability: 0.9 })] }));
    expect([result.outcome, result.confidence, result.answer.summary.citations]).toEqual(["unknown", 0, ["past-2"]]);
    expect(result.sources).toEqual([
      { id: "past-2", kind: "incident", title: "api-gateway was OOMKilled", source: null, heading: "" },
    ]);
    expect(triageResultSchema.parse(result)).toEqual(result);
  });

  const invented = { text: "Trust me.", citations: ["exit-137.md#99"], supported: true };
  it.each([
    ["summary", { summary: invented }],
    ["cause", { likely_causes: [invented] }],
  ])("rejects an answer whose %s cites a text that was not recalled", (_part, changes) => {
    const finalAnswer = { ...SILENT, answer: { ...SILENT.answer, ...changes } };
    expect(() => render(full, { finalAnswer })).toThrow("exit-137.md#99");
  });

  it.each([
    [0.814, 0.81],
    [0.816, 0.82],
    [0, 0],
    [1, 1],
  ])("rounds a confidence of %d to %d", (confidence, shown) => {
    expect(render(full, { finalAnswer: { ...SILENT, confidence } }).confidence).toBe(shown);
  });
});

describe("the explanation of a hit", () => {
  const [document] = recalledRunbook.sections;
  if (!document) throw new Error("The sample runbook has no sections.");
  const hit: HybridHit = {
    document,
    score: 1 / 61 + 1 / 62 + 1 / 63,
    contributions: {
      type: { rank: 1, value: 1 / 61 },
      dense: { rank: 2, value: 1 / 62 },
      bm25: { rank: 3, value: 1 / 63 },
    },
    distance: 0.4,
    bm25: { score: 5, terms: { "137": 3, exit: 2 } },
  };

  it("shows the contribution of each feature, which sum to the score", () => {
    const [shown] = render(withHits([hit])).recalled.runbooks;
    expect(shown).toMatchObject({
      id: "exit-137.md#0",
      source: "exit-137.md",
      title: "Killed",
      heading: "",
      text: "The kernel did it.",
      score: hit.score,
      features: {
        type: { rank: 1, value: 1 / 61 },
        dense: { rank: 2, value: 1 / 62, distance: 0.4 },
        bm25: { rank: 3, value: 1 / 63, score: 5, terms: { "137": 3, exit: 2 } },
      },
    });
    const { type, dense, bm25 } = shown?.features ?? {};
    const sum = (type?.value ?? 0) + (dense?.value ?? 0) + (bm25?.value ?? 0);
    expect(sum).toBeCloseTo(shown?.score ?? 0, 12);
    expect(Object.values(bm25?.terms ?? {}).reduce((a, b) => a + b, 0)).toBeCloseTo(bm25?.score ?? 0, 12);
  });

  it("omits a feature without a contribution", () => {
    const dense: HybridHit = { document, score: 0.1, contributions: { dense: { rank: 1, value: 0.1 } }, distance: 0 };
    expect(render(withHits([dense])).recalled.runbooks[0]?.features).toEqual({
      dense: { rank: 1, value: 0.1, distance: 0 },
    });
  });

  it("calls a hit relevant from the threshold on", () => {
    const relevance = (probability: number) => render(withHits([hit], probability)).recalled.runbooks[0]?.relevant;
    expect([relevance(0.49), relevance(0.5), relevance(0.51)]).toEqual([false, true, true]);
  });

  it("shows a probability that agrees with its relevance", () => {
    const [shown] = render(withHits([hit], 0.497)).recalled.runbooks;
    expect(shown?.relevant).toBe((shown?.probability ?? 0) >= CONFIG.POSSIBLE_THRESHOLD);
  });

  it("shows the best hits first, up to the limit", () => {
    const config = { ...CONFIG, RUNBOOK_RECALL_LIMIT: 2 };
    const shown = render(withHits(hitsOf([0.01, 0.03, 0.02, 0.04])), { config }).recalled.runbooks;
    expect(shown.map(({ score }) => score)).toEqual([0.04, 0.03]);
  });
});

describe("plainAnswer", () => {
  it("is the summary and the likely causes", () => {
    expect(plainAnswer(render(full))).toBe("Killed. The kernel did it.\nLikely causes:\n- A cause.");
  });

  it("is the summary alone where there is no cause", () => {
    expect(plainAnswer(SILENT)).toBe("Unknown.");
  });
});
