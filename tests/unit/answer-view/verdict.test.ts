// The outcome of a triage as the console shows it: a name, a figure, and what the figure means.

import { describe, expect, it } from "vitest";
import { answerView } from "../../../functions/answer-view/answer-view.ts";
import { verdictOf } from "../../../functions/answer-view/verdict.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { ANSWERS } from "../cli/render/answers.ts";
import { sampleResult } from "../investigation/samples.ts";

function verdict(name: string, changes: Partial<TriageResult> = {}) {
  const answer = ANSWERS[name];
  if (answer === undefined) throw new Error(`There is no sample ${name}.`);
  const { explanation, ...shown } = verdictOf({ ...answer, ...changes });
  return { ...shown, text: explanation.join(" ") };
}

const SOLR_LINE = "ERROR o.a.s.c.ZkController did not find a leader for shard1 of products";

/** The sample `cause`, whose runbook has the alert's name. @param changed contributions */
function named(changed: Readonly<Record<string, number>> = {}): Pick<TriageResult, "answer" | "recalled"> {
  const { answer, confidence, recalled } = ANSWERS.cause ?? sampleResult();
  const contributions = { named_by_alert: 3.3, line_sentence: -0.1, line_sentence_ahead: 0.1, line_coverage: -0.2 };
  const lead = {
    ...{ id: "limit-0", kind: "runbook" as const, title: "HighLatency", heading: "", text: "", features: {} },
    ...{ source: "shop/memory-limit.md", score: 3, probability: confidence, relevant: true },
    relevance: { log_odds: 2, contributions: { ...contributions, ...changed } },
  };
  const quoted = { text: "Line 3.", citations: [], supported: true, place: { line: 3, count: 1, time: null } };
  return {
    recalled: { ...recalled, runbooks: [lead] },
    answer: { ...answer, evidence: [{ ...quoted, quote: SOLR_LINE }] },
  };
}

describe("the verdict", () => {
  it("says of an extractive cause what the probability counts, and what it does not", () => {
    expect(verdict("cause")).toMatchObject({ name: "Known failure", figure: 0.86 });
    expect(verdict("cause").text).toMatch(/of 100 such answers, about 86 rest on a text about the right failure/);
    expect(verdict("cause").text).toMatch(/does not say which of the listed causes/);
    expect(verdict("cause").figureOf).toBe("that this text fits; which of its causes is open");
  });

  it("says of a runbook with the alert's name that it does not mention the error line, unless anything else decided", () => {
    const { answer } = named();
    expect(verdict("cause", named())).toMatchObject({
      tone: "warn",
      unmentioned: SOLR_LINE,
      figureOf: "for the runbook that has the alert's name",
      meaning: "the runbook has the alert's name, but does not mention the error line",
    });
    const view = answerView({ ...(ANSWERS.cause ?? sampleResult()), ...named() }, { brief: true });
    expect(view.sections.map(({ title }) => title)).toEqual([
      "In the report",
      "Likely causes: the first 3 of 4",
      "First check, in the runbook's order",
      "First mitigation, in the runbook's order",
    ]);
    expect(verdict("cause", named()).text).toMatch(/The runbook does not mention the error line `ERROR .*did not find/);
    expect(verdict("cause", named()).text).not.toMatch(/of 100/);
    const possible = verdict("possible", { ...named(), confidence: ANSWERS.cause?.confidence ?? 0 });
    expect(possible).toMatchObject({ name: "Possible", unmentioned: SOLR_LINE });
    expect(possible.text).toMatch(/^The alert's name is the name of the runbook “HighLatency”/);
    for (const other of [
      named({ named_by_alert: -0.3 }),
      named({ line_coverage: 0.6 }),
      named({ checks: 2 }),
      { ...named(), answer: { ...answer, causes_ordered_by: "report" as const } },
      { ...named(), answer: { ...answer, evidence: answer.evidence.map((each) => ({ ...each, quote: "ready" })) } },
    ])
      expect(verdict("cause", other)).toMatchObject({
        tone: "good",
        unmentioned: null,
        figureOf: "that this runbook fits; which of its causes is open",
      });
  });

  it("says that a critic's score is no probability, and by how much its sources limit it", () => {
    const critique = { initial_confidence: 0.8, feedback: "", reflected: false, changes: null };
    const limited = verdict("cause-of-a-model", { critique });
    expect(limited).toMatchObject({ name: "Known failure", tone: "warn", figure: 0.42 });
    expect(limited.text).toMatch(/scored the answer 0.80. What its sources support limits it to 0.42/);
    expect(limited.text).toMatch(/not a probability/);
    expect(limited.text).not.toMatch(/of 100/);
    expect(
      verdict("cause-of-a-model", { critique: { ...critique, reflected: true, changes: "Less sure." } }).text,
    ).toMatch(/the first answer 0.80, and the revised one 0.42/);
    // The revised one scored lower and is not shown.
    expect(verdict("cause-of-a-model", { critique: { ...critique, reflected: true, changes: null } }).text).toMatch(
      /scored the answer 0.80/,
    );
    expect(verdict("cause-of-a-model", { confidence: 0.8, critique }).tone).toBe("good");
  });

  it("claims no cause for candidates", () => {
    expect(verdict("possible")).toMatchObject({ name: "Possible", tone: "warn", figure: 0.46 });
    expect(verdict("possible").meaning).toMatch(/no cause is claimed/);
  });

  it("has no figure where it would read like an answer: nothing fits, was blocked, or is quoted from past answers", () => {
    expect(verdict("unknown")).toMatchObject({ name: "Unknown", figure: null });
    expect(verdict("recap")).toMatchObject({ name: "Recap of this session", figure: null });
    const guardrails = { ...ANSWERS.cause?.guardrails, injection_blocked: "instruction_override" };
    const blocked = verdict("cause", { guardrails: guardrails as TriageResult["guardrails"] });
    expect(blocked).toMatchObject({ name: "Not answered", figure: null });
  });

  it("is an incomplete answer, not unknown, when a part of the search was down", () => {
    const down = { code: "dependency_timeout", dependency: "vector_store", message: "" } as const;
    expect(verdict("unknown", { warnings: [down, { ...down, dependency: "database" }] })).toMatchObject({
      name: "Incomplete answer",
      meaning: "made without the vector store and the database",
    });
    for (const other of [{ dependency: "evidence_source" }, { code: "uncalibrated" }] as const)
      expect(verdict("unknown", { warnings: [{ ...down, ...other }] }).name).toBe("Unknown");
    expect(verdict("cause", { warnings: [down] }).name).toBe("Known failure");
  });

  it("says of no incident that the report shows it", () => {
    expect(verdict("benign")).toMatchObject({ name: "No incident", tone: "info", figure: null });
    expect(verdict("benign").text).toMatch(/The report itself/);
  });
});
