import { describe, expect, it } from "vitest";
import { recalledHits } from "../../../../functions/investigation/evidence/recalled-hits.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import { sampleFix } from "../../memory/samples.ts";
import { recallOf, sampleMemory, samplePastIncident, sampleProcedure } from "../samples.ts";

const hitsOf = (recall: Partial<Recall>) =>
  recalledHits(recallOf(recall), { POSSIBLE_THRESHOLD: 0.5, RUNBOOK_RECALL_LIMIT: 5 });

describe("recalled memory", () => {
  it("shows a past incident with its current state, its fix and the parts of its score", () => {
    const row = {
      narrative: "Covered a kill.",
      facts: ["Type: oom_killed", "Target: api"],
      finalScore: 8.1,
      reviewScore: 1,
      occurrences: 3,
      lastSeenAt: new Date("2026-02-20T08:30:00Z"),
      resolution: { text: "More memory.", by: "dana", at: new Date("2026-02-21T08:30:00Z") },
      fixes: [
        sampleFix({
          conditions: "before 4.2",
          retired: { at: new Date("2026-02-21T08:30:00Z"), reason: "a newer fix" },
        }),
      ],
    };
    const likeness = { alike: ["exit 137"], differs: ["service api-gateway, then api"] };
    const past = samplePastIncident("past-1", { target: "api", likeness, row });
    expect(hitsOf({ incidents: [past] }).incidents).toEqual([
      {
        id: "past-1",
        title: "api-gateway was OOMKilled",
        target: "api",
        severity: "high",
        incident_type: "oom_killed",
        reported_at: "2026-01-15T08:30:00.000Z",
        narrative: "Covered a kill.",
        facts: ["Type: oom_killed", "Target: api"],
        final_score: 8.1,
        effective_review_score: 1,
        occurrences: 3,
        first_seen_at: "2026-01-15T08:30:00.000Z",
        last_seen_at: "2026-02-20T08:30:00.000Z",
        targets: ["api"],
        ...likeness,
        resolution: "More memory.",
        resolved_by: "dana",
        resolved_at: "2026-02-21T08:30:00.000Z",
        fixes: [
          {
            id: "fix-1",
            text: "Raised the limit.",
            fingerprint: "key-1",
            conditions: "before 4.2",
            tried: 1,
            worked: 1,
            first_at: "2026-01-16T10:00:00.000Z",
            last_at: "2026-01-16T10:00:00.000Z",
            last_worked_at: "2026-01-16T10:00:00.000Z",
            last_worked_by: "dana",
            imported_from: null,
            retired: { at: "2026-02-21T08:30:00.000Z", reason: "a newer fix" },
            came_back_at: null,
          },
        ],
        ranking: { similarity: 0.86, quality: 0.5, adjust: 1, decay: 1 },
        score: 0.016,
        features: { bm25: { rank: 1, value: 0.016, score: 7.5, terms: { "137": 7.5 } } },
        probability: 0.8,
        relevance: { log_odds: 1.386, contributions: { bias: -1, coverage: 2.386 } },
        relevant: true,
      },
    ]);
  });

  it("shows contributions that sum to the log-odds", () => {
    const past = samplePastIncident("past");
    const contributions = { a: 0.33335, b: 0.33335, c: -1.00049, bias: 0.1 };
    const [shown] = hitsOf({ incidents: [{ ...past, relevance: { ...past.relevance, contributions } }] }).incidents;
    const { log_odds, contributions: parts } = shown?.relevance ?? { log_odds: Number.NaN, contributions: {} };
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(log_odds, 9);
    expect(log_odds).toBe(-0.234);
  });

  it("shows an unresolved incident without a fix", () => {
    const [shown] = hitsOf({ incidents: [samplePastIncident("past-2")] }).incidents;
    expect(shown).toMatchObject({ resolution: null, resolved_by: null, resolved_at: null, fixes: [] });
  });

  it("shows no author if the fix has none", () => {
    const past = samplePastIncident("past-2", { row: { resolution: { text: "More.", by: "", at: new Date(0) } } });
    expect(hitsOf({ incidents: [past] }).incidents[0]).toMatchObject({
      resolution: "More.",
      resolved_by: null,
      resolved_at: "1970-01-01T00:00:00.000Z",
    });
  });

  it("shows a past answer with the parts of its score", () => {
    const answerProbabilities = new Map([["memory-1", 0.4949]]);
    expect(hitsOf({ pastAnswers: [sampleMemory("memory-1")], answerProbabilities }).past_answers).toEqual([
      {
        id: "memory-1",
        question: "Why does worker restart?",
        answer: "Its probe is too strict.",
        asked_at: "2026-02-01T09:00:00.000Z",
        session_id: "session-0",
        is_summary: false,
        net_rating: 2,
        score: 0.9,
        ranking: { cosine: 0.8, rating: 0.1, session: 0, decay: 1 },
        probability: 0.49,
        relevant: false,
      },
    ]);
  });

  it("calls a past answer and a procedure relevant from the threshold on, and never without a probability", () => {
    const [pastAnswers, procedure] = [[sampleMemory("a"), sampleMemory("b"), sampleMemory("c")], sampleProcedure()];
    const answerProbabilities = new Map([
      ["a", 0.4951],
      ["b", 0.49],
      [procedure.id, 0.9],
    ]);
    const hits = hitsOf({ pastAnswers, procedure, answerProbabilities });
    expect(hits.past_answers.map(({ relevant }) => relevant)).toEqual([true, false, false]);
    expect(hits.past_answers[2]?.probability).toBeNull();
    expect(hits.procedure).toMatchObject({ probability: 0.9, relevant: true });
  });

  it("shows the procedure with its confidence, use count and cosine", () => {
    expect(hitsOf({ procedure: sampleProcedure({ useCount: 1.5 }) }).procedure).toEqual({
      id: "procedure-1",
      query: "oom killed worker",
      strategy: "retrieval_hits=3, memory_hits=1, reflected=false",
      answer: "The limit was too low.",
      confidence: 0.9,
      use_count: 1.5,
      last_used_at: "2026-02-01T09:00:00.000Z",
      cosine: 0.8,
      probability: null,
      relevant: false,
    });
  });

  it("is empty and null for an empty recall", () => {
    expect(hitsOf({})).toEqual({ runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null });
  });
});
