import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import {
  renderObservations,
  renderOutbox,
  renderPastAnswers,
  renderProcedures,
  renderSearch,
  renderSessions,
} from "../../../cli/render-memory.ts";
import type { MemorySearchResult } from "../../../cli/service/memory-search.ts";
import { fixEntry } from "../../../functions/memory/fixes.ts";
import type { ObservationEntry, PastAnswerEntry } from "../../../functions/memory/memory-lists.ts";
import { NO_SIGNATURE } from "../../../functions/schemas/failure-signature.ts";
import { sampleIncidentHit } from "../investigation/samples.ts";
import { sampleFix } from "../memory/samples.ts";

const WIDE = { width: 200, color: false };

const observation: ObservationEntry = {
  id: "00000000-0000-4000-8000-000000000001",
  domain: "docker",
  created_at: "2026-03-01T03:00:00+00:00",
  incident_id: "00000000-0000-4000-8000-000000000001",
  title: "api-gateway was killed for memory",
  narrative: "",
  facts: [],
  task: "api-gateway exited with code 137",
  task_type: "oom_killed",
  target: "api-gateway",
  severity: "high",
  tools_used: "runbooks,incidents,past_answers,procedures",
  final_score: 8.25,
  effective_review_score: 1,
  review_score: null,
  written_by: "extractive",
  occurrences: 3,
  first_seen_at: "2026-03-01T03:00:00+00:00",
  last_seen_at: "2026-03-02T04:05:06+00:00",
  seen_at: [],
  resolution: "Raised the memory limit",
  resolved_by: "dana",
  resolved_at: "2026-03-02T05:00:00+00:00",
  resolved_incident_id: null,
  worked: true,
  signature: NO_SIGNATURE,
  targets: ["api-gateway", "checkout"],
  fixes: [fixEntry(sampleFix({ text: "Raised the memory limit", tried: 3, worked: 2 }))],
  shown_count: 4,
  helped_count: 1,
  why: [],
};

const pastAnswer: PastAnswerEntry = {
  id: "00000000-0000-4000-8000-000000000002",
  domain: "docker",
  session_id: "s1",
  triage_id: null,
  incident_id: null,
  created_at: "2026-03-01T03:00:00+00:00",
  question: "Why does it restart?",
  answer: "It runs out of memory.",
  net_rating: -2,
  is_summary: false,
  summary_id: null,
  compressed_at: null,
};

const incident = sampleIncidentHit({
  id: observation.id,
  title: observation.title,
  score: 0.557,
  probability: 0.5,
  alike: ["exit 137"],
  ranking: { similarity: 0.86, quality: 0.93, adjust: 1.15, decay: 0.99 },
  occurrences: 3,
  first_seen_at: "2026-03-01T03:00:00+00:00",
  last_seen_at: "2026-03-02T04:05:06+00:00",
  target: "api-gateway",
  severity: "high",
  incident_type: "oom_killed",
  reported_at: "2026-03-01T03:00:00+00:00",
  resolution: "Raised the memory limit",
  resolved_by: "dana",
  resolved_at: "2026-03-02T05:00:00+00:00",
});

const nothing: MemorySearchResult = {
  domain: { name: "docker", rule: 'words "docker"' },
  incidents: [],
  past_answers: [],
  procedure: null,
  warnings: [],
};

const pastAnswerHit = {
  id: pastAnswer.id,
  question: pastAnswer.question,
  answer: pastAnswer.answer,
  asked_at: pastAnswer.created_at,
  session_id: "s1",
  is_summary: false,
  net_rating: 1,
  score: 0.62,
  ranking: { cosine: 0.54, rating: 0.08, session: 0.2, decay: 0.76 },
  probability: 0.5,
  relevant: true,
};

describe("the table of observations", () => {
  it("has a header and a row for each observation", () => {
    expect(renderObservations([observation], WIDE).split("\n")).toEqual([
      "id        last seen (UTC)   times  score  review  domain  services        title                              fixed by",
      "00000000  2026-03-02 04:05  3      8.3    1       docker  api-gateway +1  api-gateway was killed for memory  Raised the memory limit (2 of 3)",
    ]);
  });

  it("shows a dash for missing values", () => {
    const missing = { final_score: null, effective_review_score: null, target: null, targets: [], resolution: null };
    const shown = renderObservations([{ ...observation, ...missing }], WIDE);
    expect(shown).toMatch(/3 +- +- +docker +- +api-gateway was killed for memory +-$/);
  });

  it.each([60, 70])("still fits %d columns, with dates cut too", (width) => {
    const lines = renderObservations([observation], { width, color: false }).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  });

  it.each([80, 100, 140])("fits %d columns, cut where it is widest", (width) => {
    const long = { ...observation, title: "word ".repeat(100), resolution: "fix ".repeat(100) };
    const lines = renderObservations([long, observation], { width, color: false }).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(lines[1]).toContain("2026-03-02 04:05");
    expect(lines[1]).toMatch(/word…? .*fix…?/);
    expect(lines[1]?.match(/…/g)).toHaveLength(2);
  });

  it("counts wide characters as two columns", () => {
    const wide = { ...observation, title: "記憶體不足".repeat(30) };
    const [, line = ""] = renderObservations([wide], { width: 120, color: false }).split("\n");
    const columns = [...line].reduce((sum, letter) => sum + (/\p{Script=Han}/u.test(letter) ? 2 : 1), 0);
    expect(columns).toBeLessThanOrEqual(120);
    expect(columns).toBeGreaterThan(110);
  });

  it("keeps a row on one line without terminal control characters", () => {
    const untrusted = { ...observation, title: "a\nb\u001b[2Jc\u202ed" };
    expect(renderObservations([untrusted], WIDE).split("\n")[1]).toContain("a b [2Jc d");
  });

  it("has no colour by default", () => {
    const plain = renderObservations([observation], WIDE);
    const coloured = renderObservations([observation], { ...WIDE, color: true });
    expect(stripVTControlCharacters(plain)).toBe(plain);
    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });
});

describe("the other tables", () => {
  it("show the state of each past answer", () => {
    const rows = [
      pastAnswer,
      { ...pastAnswer, summary_id: pastAnswer.id },
      { ...pastAnswer, summary_id: pastAnswer.id, compressed_at: pastAnswer.created_at },
      { ...pastAnswer, is_summary: true },
    ];
    const states = renderPastAnswers(rows, WIDE)
      .split("\n")
      .slice(1)
      .map((line) => line.match(/s1 +(.*?) +Why/)?.[1]);
    expect(states).toEqual(["in use", "being summarised", "summarised", "summary"]);
  });

  it("show sessions and procedures", () => {
    const session = {
      session_id: "s1",
      domains: ["docker", "redis"],
      last_turn_at: pastAnswer.created_at,
      raw_count: 21,
      summary_count: 1,
    };
    expect(renderSessions([session], WIDE)).toMatch(/2026-03-01 03:00 +docker, redis +21 +1 +s1$/);
    const procedure = {
      id: pastAnswer.id,
      domain: "docker" as const,
      query: "exit code 137",
      strategy: "",
      answer: "Look at the limit.",
      confidence: 0.8,
      use_count: 1.5,
      triage_id: null,
      incident_id: null,
      created_at: pastAnswer.created_at,
      last_used_at: pastAnswer.created_at,
      archived_at: null,
    };
    expect(renderProcedures([procedure], WIDE)).toMatch(/1\.5 +0\.80 +docker +in use +exit code 137/);
    expect(renderProcedures([{ ...procedure, archived_at: pastAnswer.created_at }], WIDE)).toContain("archived");
  });

  it("count all pending writes, including those not shown", () => {
    const pending = {
      id: 1,
      collection: "incidents",
      document_id: pastAnswer.id,
      created_at: pastAnswer.created_at,
      attempts: 2,
      next_attempt_at: "2026-03-01T03:01:00+00:00",
      last_error: "vector_store unreachable",
    };
    const shown = renderOutbox([pending], 40, WIDE);
    expect(shown).toContain("vector_store unreachable");
    expect(shown).toMatch(/40 in all\.$/);
  });
});

describe("an empty memory", () => {
  it("is reported in a sentence", () => {
    const texts = [
      renderObservations([], WIDE),
      renderPastAnswers([], WIDE),
      renderSessions([], WIDE),
      renderProcedures([], WIDE),
      renderOutbox([], 0, WIDE),
    ];
    for (const text of texts) expect(text).toMatch(/^[A-Z][^\n]*\.$/);
    expect(renderSearch(nothing, WIDE)).toBe('Domain: docker (words "docker").\nNothing alike is on record.');
  });
});

describe("a search", () => {
  it("shows the parts of the score of a past incident", () => {
    const text = renderSearch({ ...nothing, incidents: [incident] }, WIDE);
    expect(text).toContain("0.56 = 0.50 probability × (0.7 + 0.3 × 0.93 quality) × 1.15 adjust × 0.99 decay");
    expect(text).toContain('2026-03-02 "api-gateway was killed for memory", 3 times since 2026-03-01 on api-gateway.');
    expect(text).toContain("Fixed by: Raised the memory limit (dana, 2026-03-02). 50 % likely the same failure.");
    expect(text).toContain("Alike: exit 137.");
  });

  it("shows the parts of the score of a past answer, including negative ones", () => {
    const text = renderSearch({ ...nothing, past_answers: [pastAnswerHit] }, WIDE);
    expect(text).toContain("0.62 = (0.54 cosine + 0.08 rating + 0.20 session) × 0.76 decay");
    const disliked = {
      ...pastAnswerHit,
      score: 0.35,
      ranking: { ...pastAnswerHit.ranking, rating: -0.08, session: 0 },
    };
    expect(renderSearch({ ...nothing, past_answers: [disliked] }, WIDE)).toContain(
      "0.35 = (0.54 cosine − 0.08 rating + 0.00 session) × 0.76 decay",
    );
  });

  it("shows the procedure and the warnings", () => {
    const procedure = {
      id: pastAnswer.id,
      query: "exit code 137",
      strategy: "retrieval_hits=3, memory_hits=1, reflected=false",
      answer: "Look at the limit.",
      confidence: 0.8,
      use_count: 4,
      last_used_at: pastAnswer.created_at,
      cosine: 0.91,
      probability: 0.8,
      relevant: true,
    };
    const warnings = [
      { code: "dependency_timeout" as const, dependency: "vector_store" as const, message: "Chroma is late." },
    ];
    const text = renderSearch({ ...nothing, procedure, warnings }, WIDE);
    expect(text).toContain("0.91 cosine, 0.80 confidence, used 4.0 times");
    expect(text).toContain("! Chroma is late.");
  });

  it("wraps lines that are wider than the terminal", () => {
    const long = { ...pastAnswerHit, answer: "word ".repeat(200) };
    const lines = renderSearch(
      { ...nothing, incidents: [incident], past_answers: [long] },
      { width: 60, color: false },
    );
    for (const line of lines.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });
});
