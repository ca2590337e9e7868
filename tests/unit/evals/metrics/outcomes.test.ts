import { describe, expect, it } from "vitest";
import { failuresOf, isCandidateRight, metricsOf } from "../../../../evals/metrics/metrics.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { sampleResult } from "../../investigation/samples.ts";
import { answer, answerFrom, caseOf, LOOP, measured, NO_NAMES, OOM } from "./samples.ts";

describe("quoted lines", () => {
  const quoting = (...quotes: (string | null)[]): TriageResult => {
    const sample = sampleResult();
    const evidence = quotes.map((quote) => ({ text: "Line.", quote, citations: [], supported: true, place: null }));
    return { ...sample, answer: { ...sample.answer, evidence } };
  };
  const quotes = ['secret "edge-tls" not found', "Reason: OOMKilled"];

  it("score the share that stands in a quote, whatever the whitespace", () => {
    const result = quoting(null, 'MountVolume failed:   secret "edge-tls"\tnot found');
    expect(measured({ quotes }, result).EvidenceQuoted).toBe(0.5);
    const unquoted = failuresOf(caseOf({ quotes }), answer(result), NO_NAMES).filter((each) => each.includes("quote"));
    expect(unquoted).toEqual(['The answer does not quote "Reason: OOMKilled".']);
  });

  it("must have the same letters, and stand in one quote", () => {
    expect(measured({ quotes: ["Reason: OOMKilled"] }, quoting("reason: oomkilled")).EvidenceQuoted).toBe(0);
    expect(measured({ quotes: ["Reason: OOMKilled"] }, quoting("Reason:", "OOMKilled")).EvidenceQuoted).toBe(0);
  });
});

describe("a list of outcomes", () => {
  const expectation = { outcome: ["unknown", "possible"] };

  it("is met by each of them", () => {
    const outcomes = (["unknown", "possible", "cause"] as const).map(
      (outcome) => measured(expectation, { ...sampleResult(), outcome }).OutcomeRight,
    );
    expect(outcomes).toEqual([1, 1, 0]);
    expect(failuresOf(caseOf(expectation), answer(answerFrom(OOM)), NO_NAMES)).toContain(
      "The outcome is cause, not unknown or possible.",
    );
  });

  it("has no expected confidence", () => {
    expect(metricsOf(caseOf(expectation))).not.toContain("ConfidenceScore");
  });
});

describe("the first candidate", () => {
  const possible = (source: string): TriageResult => {
    const result = answerFrom(source);
    const candidate = { text: "", title: "", probability: 0.5, citations: [`${source}#1`], confirm: [] };
    return { ...result, outcome: "possible", answer: { ...result.answer, possible_causes: [candidate] } };
  };
  const isCandidateOf = (expectation: object, result: TriageResult) =>
    isCandidateRight(caseOf(expectation).expect, result, NO_NAMES);

  it("is right when it is an expected source", () => {
    expect(isCandidateOf({ outcome: "cause", runbooks: [OOM] }, possible(OOM))).toBe(true);
    expect(isCandidateOf({ outcome: "cause", runbooks: [OOM] }, possible(LOOP))).toBe(false);
  });

  it("is wrong when nothing on record is right, and not graded when the case names no source", () => {
    expect(isCandidateOf({ outcome: ["unknown", "possible"] }, possible(OOM))).toBe(false);
    expect(isCandidateOf({ outcome: "benign" }, possible(OOM))).toBe(false);
    expect(isCandidateOf({ outcome: "cause" }, possible(OOM))).toBeNull();
    expect(isCandidateOf({ outcome: "cause", runbooks: [OOM] }, answerFrom(OOM))).toBeNull();
  });
});
