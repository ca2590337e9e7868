import { describe, expect, it } from "vitest";
import { createExtractiveAnswer, lookStep } from "../../../../functions/investigation/answer/extractive-answer.ts";
import type { Recall } from "../../../../functions/investigation/recall/recall-result.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const RUNBOOK = "# Killed\n\nRUNBOOK-TEXT.\n\n## Mitigate\n\n1. RUNBOOK-STEP.\n\n## Root causes\n\n- RUNBOOK-CAUSE.\n";
const LOOKS = [{ text: "See what changed.", command: null }];

function compose(recall: Partial<Recall>) {
  return createExtractiveAnswer(sampleIncident(), recallOf(recall), { thresholds: THRESHOLDS, looks: LOOKS });
}

describe("a runbook", () => {
  it("is an answer from the threshold on", () => {
    const { outcome, confidence } = compose({ runbooks: [sampleRunbook(RUNBOOK, { probability: 0.5 })] });
    expect([outcome, confidence]).toEqual(["cause", 0.5]);
  });

  it("below the threshold is not quoted", () => {
    const finalAnswer = compose({ runbooks: [sampleRunbook(RUNBOOK, { probability: 0.499 })] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["unknown", 0.499]);
    expect(JSON.stringify(finalAnswer.answer)).not.toContain("RUNBOOK-");
    expect(finalAnswer.answer.summary).toEqual({
      text: expect.stringContaining("no recalled runbook is close enough"),
      citations: [],
    });
  });

  it("above the threshold is an answer although a higher-ranked one is not", () => {
    const { outcome, confidence, answer } = compose({
      runbooks: [
        sampleRunbook("# Other\n\nOTHER-TEXT.", { source: "other.md", probability: 0.3 }),
        sampleRunbook(RUNBOOK, { probability: 0.9 }),
      ],
    });
    expect([outcome, confidence]).toEqual(["cause", 0.9]);
    expect(answer.summary).toEqual({ text: "Killed. RUNBOOK-TEXT.", citations: ["exit-137.md#0"] });
  });
});

describe("an empty recall", () => {
  it("gives outcome unknown with confidence 0 and advice", () => {
    expect(compose({})).toEqual({
      mode: "extractive",
      outcome: "unknown",
      confidence: 0,
      removed: { citations: 0, links: 0, statements: 0 },
      critique: null,
      answer: {
        ...EMPTY_ANSWER,
        summary: {
          text:
            "Unknown: no runbook was recalled, and no past incident resembles it. " +
            "Add logs or the exact error message to ask again.",
          citations: [],
        },
        look_next: LOOKS.map(lookStep),
      },
    });
  });

  it.each([
    [false, "no runbook was recalled in the docker domain, and"],
    [true, "no runbook was recalled in the docker domain or in any other, and"],
  ])("names the domains of a limited search that looked further: %s", (lookedFurther, text) => {
    const domain = { ...sampleIncident().domain, limitsSearch: true };
    const options = { thresholds: THRESHOLDS, looks: LOOKS };
    const { answer } = createExtractiveAnswer(sampleIncident({ domain }), recallOf({ lookedFurther }), options);
    expect(answer.summary.text).toContain(text);
  });
});

describe("a past incident", () => {
  const fixed = samplePastIncident("fixed", {
    probability: 0.7,
    target: "api-gateway",
    resolution: "Raised the memory limit.",
    resolved_by: "dana",
  });
  const unfixed = samplePastIncident("unfixed", { probability: 0.6 });

  it("alone is an answer if it has a fix", () => {
    const finalAnswer = compose({ incidents: [fixed] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["cause", 0.7]);
    expect(finalAnswer.answer).toEqual({
      ...EMPTY_ANSWER,
      summary: {
        text: "No runbook covers this, but the same kind of incident was fixed before.",
        citations: ["fixed"],
      },
      worked_before: [
        {
          text: '2026-01-15 "api-gateway was OOMKilled" on api-gateway. Fixed by: Raised the memory limit. (dana, 2026-01-15) [score 0.02]',
          citations: ["fixed"],
          supported: true,
        },
      ],
    });
  });

  it("without a fix is shown but is no answer", () => {
    const finalAnswer = compose({ incidents: [unfixed] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["unknown", 0]);
    expect(finalAnswer.answer.summary).toEqual({
      text: expect.stringContaining("a similar incident is on record, but without a fix"),
      citations: ["unfixed"],
    });
    expect(finalAnswer.answer.worked_before).toEqual([
      {
        text: '2026-01-15 "api-gateway was OOMKilled". No fix was recorded. [score 0.02]',
        citations: ["unfixed"],
        supported: true,
      },
    ]);
  });

  it("is cited, and an unknown answer keeps the confidence of the best runbook", () => {
    const finalAnswer = compose({
      runbooks: [
        sampleRunbook(RUNBOOK, { probability: 0.3 }),
        sampleRunbook("# Other\n\nRUNBOOK-TEXT.", { source: "other.md", probability: 0.4 }),
      ],
      incidents: [samplePastIncident("nearer", { probability: 0.9 }), unfixed],
    });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["unknown", 0.4]);
    expect(finalAnswer.answer.summary.citations).toEqual(["nearer", "unfixed"]);
    expect(JSON.stringify(finalAnswer.answer)).not.toContain("RUNBOOK-");
  });

  it("is cited by an unknown answer only if shown", () => {
    const { answer } = compose({ incidents: ["a", "b", "c", "d", "e", "f"].map((id) => samplePastIncident(id)) });
    expect(answer.summary.citations).toEqual(["a", "b", "c", "d", "e"]);
    expect(answer.worked_before.flatMap(({ citations }) => citations)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("is not cited by an unknown answer below the threshold", () => {
    const { answer } = compose({ incidents: [samplePastIncident("far", { probability: 0.49 })] });
    expect(answer.summary).toEqual({
      text: expect.stringContaining("no past incident resembles it"),
      citations: [],
    });
    expect(answer.worked_before).toEqual([]);
  });

  it("without a fix raises no confidence and is not in the summary of a runbook's answer", () => {
    const finalAnswer = compose({
      runbooks: [sampleRunbook(RUNBOOK, { probability: 0.6 })],
      incidents: [samplePastIncident("nearer", { probability: 0.9 })],
    });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["cause", 0.6]);
    expect(finalAnswer.answer.summary.citations).toEqual(["exit-137.md#0"]);
    expect(finalAnswer.answer.worked_before.map(({ citations }) => citations)).toEqual([["nearer"]]);
  });

  it("alone is cited and sets the confidence only with a fix", () => {
    const nearer = samplePastIncident("nearer", { probability: 0.9 });
    const weaker = samplePastIncident("weaker", { probability: 0.5, resolution: "Restarted it." });
    const finalAnswer = compose({
      runbooks: [sampleRunbook(RUNBOOK, { probability: 0.4 })],
      incidents: [nearer, weaker, fixed],
    });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["cause", 0.7]);
    expect(finalAnswer.answer.summary.citations).toEqual(["weaker", "fixed"]);
    expect(finalAnswer.answer.worked_before.flatMap(({ citations }) => citations)).toEqual([
      "weaker",
      "fixed",
      "nearer",
    ]);
  });

  it("alone is neither cited nor counted if not shown", () => {
    const ids = ["a", "b", "c", "d", "e"];
    const shown = ids.map((id) => samplePastIncident(id, { probability: 0.6, resolution: "Fixed." }));
    const finalAnswer = compose({ incidents: [...shown, fixed] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["cause", 0.6]);
    expect(finalAnswer.answer.summary.citations).toEqual(ids);
  });

  it("below the threshold is omitted even with a fix", () => {
    const far = samplePastIncident("far", { probability: 0.49, resolution: "FAR-FIX" });
    const finalAnswer = compose({ incidents: [far] });
    expect([finalAnswer.outcome, finalAnswer.confidence]).toEqual(["unknown", 0]);
    expect(JSON.stringify(finalAnswer.answer)).not.toContain("FAR-FIX");
  });

  it("is added to a runbook, and the higher probability sets the confidence", () => {
    const { confidence, answer } = compose({
      runbooks: [sampleRunbook(RUNBOOK, { probability: 0.6 })],
      incidents: [fixed],
    });
    expect(confidence).toBe(0.7);
    expect(answer.likely_causes.map(({ text }) => text)).toEqual(["RUNBOOK-CAUSE."]);
    expect(answer.worked_before.map(({ citations }) => citations)).toEqual([["fixed"]]);
  });

  it("is shown without a runbook below the threshold", () => {
    const { answer } = compose({ runbooks: [sampleRunbook(RUNBOOK, { probability: 0.4 })], incidents: [fixed] });
    expect(JSON.stringify(answer)).not.toContain("RUNBOOK-");
  });

  it("is one of five at most, best first", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const incidents = ids.map((id) => samplePastIncident(id, { resolution: "Fixed." }));
    const { worked_before } = compose({ incidents }).answer;
    expect(worked_before.flatMap(({ citations }) => citations)).toEqual(ids.slice(0, 5));
  });

  it("is shown if the answer mentions its fix", () => {
    const open = ["a", "b", "c", "d", "e"].map((id) => samplePastIncident(id));
    const finalAnswer = compose({ incidents: [...open, fixed] });
    expect(finalAnswer.outcome).toBe("cause");
    expect(finalAnswer.answer.worked_before.flatMap(({ citations }) => citations)).toContain("fixed");
  });
});
