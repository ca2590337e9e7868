import { describe, expect, it } from "vitest";
import { recalledHits } from "../../../../functions/investigation/evidence/recalled-hits.ts";
import {
  memoryHitCount,
  memoryUpdatesOf,
  observationUpdate,
  pastAnswerOf,
} from "../../../../functions/investigation/learning/create-memory-updates.ts";
import { summariseTriage } from "../../../../functions/investigation/learning/summarise-triage.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import type { Observation } from "../../../../functions/memory/observation.ts";
import { observedReport } from "../../../../functions/memory/observed-report.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { sampleFix, sampleObservation } from "../../memory/samples.ts";
import {
  hitOf,
  recallOf,
  sampleConfig,
  sampleIncident,
  sampleMemory,
  samplePastFix,
  samplePastIncident,
  sampleProcedure,
  sampleResult,
  sampleRunbook,
} from "../samples.ts";

const CONFIG = sampleConfig();
const LATER = new Date("2026-03-01T12:00:09Z");
const CRITIQUE = { initial_confidence: 0.4, feedback: "Better.", reflected: true, changes: "Named the limit." };

function learn(
  result: Partial<TriageResult> = {},
  {
    recalled = {},
    incident = sampleIncident(),
    config = CONFIG,
  }: { recalled?: Partial<Recall>; incident?: ReturnType<typeof sampleIncident>; config?: typeof CONFIG } = {},
) {
  const input = {
    incident,
    recalled: recallOf(recalled),
    result: sampleResult(result),
    now: LATER,
    procedureId: "procedure-new",
  };
  return memoryUpdatesOf(input, config);
}

describe("the procedure of a triage", () => {
  it("holds the query, the strategy and the answer with the critique's score", () => {
    const incident = sampleIncident({ title: "api-gateway is gone" });
    expect(learn({ confidence: 0.8 }, { incident }).procedure).toEqual({
      procedure: {
        id: "procedure-new",
        domain: "docker",
        query: "api-gateway is gone",
        strategy: "retrieval_hits=0, memory_hits=0, reflected=false",
        answer: "It was killed at its memory limit.",
        confidence: 0.8,
        triageId: "triage-1",
        createdAt: LATER,
      },
      mergeInto: null,
    });
  });

  it.each([
    [0.69, false],
    [0.7, true],
    [1, true],
  ])("exists at a critique score of %d: %s", (confidence, exists) => {
    expect(learn({ confidence }).procedure !== null).toBe(exists);
  });

  it("needs the configured threshold and a trusted cause", () => {
    expect(learn({ confidence: 0.8 }, { config: sampleConfig({ PROCEDURAL_THRESHOLD: "0.81" }) }).procedure).toBeNull();
    const credulous = sampleConfig({ PROCEDURAL_THRESHOLD: "0", CONFIDENCE_THRESHOLD: "0.5" });
    expect(learn({ confidence: 0.4 }, { config: credulous }).procedure).toBeNull();
  });

  it("does not exist for an extractive answer", () => {
    expect(learn({ mode: "extractive", critique: null, confidence: 1 }).procedure).toBeNull();
  });

  it.each(["unknown", "benign"] as const)("does not exist for outcome %s at any score", (outcome) => {
    expect(learn({ outcome, confidence: 1 }).procedure).toBeNull();
  });

  it("counts ranked chunks, past incidents and past answers, and records reflection", () => {
    const runbook = sampleRunbook("# Killed\n\nA.\n\n## Confirm\n\nB.\n");
    const recalled = {
      runbooks: [{ ...runbook, hits: runbook.sections.map((section) => hitOf(section)) }, sampleRunbook("C.")],
      incidents: [samplePastIncident("p"), samplePastIncident("q")],
      pastAnswers: [sampleMemory("m")],
    };
    expect(learn({ critique: CRITIQUE }, { recalled }).procedure?.procedure.strategy).toBe(
      "retrieval_hits=3, memory_hits=3, reflected=true",
    );
    expect(memoryHitCount(recalled)).toBe(3);
  });

  it.each([
    [false, null],
    [true, "procedure-1"],
  ])("merges into the recalled one if that is the same: %s", (isSame, mergeInto) => {
    expect(learn({}, { recalled: { procedure: sampleProcedure({ isSame }) } }).procedure?.mergeInto).toBe(mergeInto);
  });
});

describe("the observation of a triage", () => {
  const incident = sampleIncident({ id: "incident-2", severity: "critical" });
  const update = (result: Partial<TriageResult>, existing: Observation | null) =>
    observationUpdate(incident, sampleResult(result), { existing, config: CONFIG });

  it("is a new record for a new failure", () => {
    const result = sampleResult({ confidence: 0.8 });
    expect(observationUpdate(incident, result, { existing: null, config: CONFIG })).toEqual({
      observation: {
        ...summariseTriage(incident, result, CONFIG),
        id: "incident-2",
        domain: "docker",
        fingerprint: observedReport(incident).fingerprint,
        signature: observedReport(incident).signature,
        version: 0,
        taskType: "oom_killed",
        target: "api-gateway",
        targets: ["api-gateway"],
        severity: "critical",
        toolsUsed: "runbooks,incidents,past_answers,procedures",
        finalScore: 8,
        reviewScore: null,
        occurrences: 1,
        firstSeenAt: incident.createdAt,
        lastSeenAt: incident.createdAt,
        seenAt: [incident.createdAt],
        resolution: null,
        fixes: [],
      },
      report: observedReport(incident),
      hasNewText: true,
      replaces: null,
      repeatOf: null,
    });
  });

  it("has the question as its task", () => {
    const combined = sampleIncident({ question: "Is it the memory?" });
    const options = { existing: null, config: CONFIG };
    expect(observationUpdate(combined, sampleResult(), options).report.task).toBe("Is it the memory?");
  });

  const fix = { text: "More memory.", by: "dana", at: LATER };
  it.each<[string, number, Partial<Observation>, boolean]>([
    ["better", 0.81, { finalScore: 8 }, true],
    ["as good", 0.8, { finalScore: 8 }, false],
    ["worse", 0.79, { finalScore: 8 }, false],
    ["the first with a score, which may be 0,", 0, { finalScore: null }, true],
    ["better, but it is fixed already,", 1, { finalScore: 8, resolution: fix }, false],
    ["the first with a score, but it is fixed already,", 1, { finalScore: null, resolution: fix }, false],
  ])("replaces the text for a repeat that is %s: %d, %j, %s", (_case, confidence, changes, hasNewText) => {
    const existing = sampleObservation(changes);
    const input = update({ confidence }, existing);
    expect(input.hasNewText).toBe(hasNewText);
    expect(input.replaces).toEqual(hasNewText ? existing : null);
  });

  it("keeps id, review score and fixes of an existing failure", () => {
    const fixes = [sampleFix()];
    const existing = sampleObservation({ finalScore: 5, reviewScore: 2, resolution: fix, fixes });
    expect(update({ confidence: 0.9 }, existing)).toMatchObject({
      report: { incidentId: "incident-2" },
      repeatOf: "incident-1",
      observation: {
        id: "incident-1",
        version: 3,
        reviewScore: 2,
        occurrences: 2,
        firstSeenAt: existing.firstSeenAt,
        lastSeenAt: incident.createdAt,
        resolution: fix,
        fixes,
        finalScore: 9,
        severity: "critical",
      },
    });
  });

  it("exists for every triage, also without a cause", () => {
    const existing = sampleObservation();
    expect(learn({}, { recalled: { repeatOf: existing } }).observation?.observation.id).toBe("incident-1");
    expect(learn({ outcome: "unknown", confidence: 0.2 }).observation?.observation).toMatchObject({
      finalScore: 2,
      narrative: "Covered oom killed on api-gateway in the docker domain. No cause was confirmed.",
    });
  });
});

describe("the shown records of a triage", () => {
  it("are the past incidents that the answer cites as fixes, each once", () => {
    const { answer, recalled } = sampleResult();
    const [hit] = recalledHits(recallOf({ incidents: [samplePastIncident("past-1")] }), CONFIG).incidents;
    const incidents = ["past-1", "past-2", "past-3"].flatMap((id) => (hit ? [{ ...hit, id }] : []));
    const fix = (...citations: string[]) => samplePastFix({ citations });
    const shown = learn({
      answer: { ...answer, worked_before: [fix("past-1"), fix("past-1", "past-2"), fix("runbook")] },
      recalled: { ...recalled, incidents },
    }).shown;
    expect(shown).toEqual(["past-1", "past-2"]);
  });
});

describe("the past answer of a triage", () => {
  const pastAnswer = (changes: Parameters<typeof sampleIncident>[0], result: Partial<TriageResult> = {}) =>
    pastAnswerOf(sampleIncident(changes), sampleResult(result), { now: LATER, config: CONFIG });

  it("holds question and answer in the session, with the id of the triage", () => {
    expect(learn().memory).toEqual({
      id: "triage-1",
      domain: "docker",
      sessionId: "session-1",
      triageId: "triage-1",
      createdAt: LATER,
      question: "api-gateway container exited with code 137",
      answer: "It was killed at its memory limit.",
      isSummary: false,
    });
  });

  it.each([
    ["Down", null, "Down"],
    ["Why?", "Why?", "Why?"],
    ["Down", "Why?", "Down: Why?"],
  ])("combines title %j and question %j to %j", (title, question, combined) => {
    expect(pastAnswer({ title, question }).question).toBe(combined);
  });

  it.each(["extractive", "model"] as const)("names no candidate of a possible answer in mode %s", (mode) => {
    const candidate = { text: "CANDIDATE.", title: "CANDIDATE", probability: 0.6, citations: ["r1"], confirm: [] };
    const { answer } = sampleResult();
    const sources = [{ id: "r1", kind: "runbook" as const, title: "CANDIDATE", source: "c.md", heading: "" }];
    const updates = learn({
      mode,
      outcome: "possible",
      confidence: 0.6,
      sources,
      answer: { ...answer, summary: { text: "Possible: CANDIDATE.", citations: ["r1"] }, possible_causes: [candidate] },
    });
    expect(updates.observation?.observation.facts).toContain("Outcome: Possible, 60 %");
    expect(updates.procedure).toBeNull();
    expect(JSON.stringify(updates)).not.toContain("CANDIDATE");
  });

  it("says that no cause was confirmed instead of an untrusted guess", () => {
    expect(pastAnswer({}, { confidence: 0.3 }).answer).toBe("No cause was confirmed.");
  });

  it("keeps 1,000 characters of the question and 4,000 of the answer", () => {
    const answer = { ...sampleResult().answer, summary: { text: "a".repeat(5_000), citations: [] } };
    const memory = pastAnswer({ title: "t", question: "q".repeat(2_000) }, { answer });
    expect([memory.question.length, memory.answer.length]).toEqual([1_000, 4_000]);
  });
});
