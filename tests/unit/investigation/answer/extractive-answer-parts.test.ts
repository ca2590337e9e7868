import { describe, expect, it } from "vitest";
import { createExtractiveAnswer, lookStep } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { createBenignAnswer, createBlockedAnswer } from "../../../../functions/investigation/answer/fixed-answers.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook, THRESHOLDS } from "../samples.ts";

const UNTOUCHED = { mode: "extractive", removed: { citations: 0, links: 0, statements: 0 }, critique: null };

const LOOKS = [
  { text: "See what changed.", command: null },
  { text: "See the load.", command: "uptime" },
];

describe("look_next", () => {
  it("lists the first looks as unsupported steps for an unknown outcome", () => {
    const { outcome, answer } = createExtractiveAnswer(sampleIncident(), recallOf({}), {
      thresholds: THRESHOLDS,
      looks: LOOKS,
    });
    expect(outcome).toBe("unknown");
    expect(answer.look_next).toEqual(
      [
        { text: "See what changed.", command: null, effect: null },
        { text: "See the load.", command: "uptime", effect: "read_only" },
      ].map((step) => ({ ...step, undo: null, citations: [], supported: false, from_source: true })),
    );
  });

  it("is empty without first looks", () => {
    expect(createExtractiveAnswer(sampleIncident(), recallOf({}), { thresholds: THRESHOLDS }).answer.look_next).toEqual(
      [],
    );
  });

  it("is present when a similar incident has no fix", () => {
    const { answer } = createExtractiveAnswer(sampleIncident(), recallOf({ incidents: [samplePastIncident("seen")] }), {
      thresholds: THRESHOLDS,
      looks: LOOKS,
    });
    expect(answer.look_next).toEqual(LOOKS.map(lookStep));
  });

  it.each([
    ["a runbook is likely", recallOf({ runbooks: [sampleRunbook("# T\n\nWords.")] })],
    ["it was fixed before", recallOf({ incidents: [samplePastIncident("fixed", { resolution: "More memory." })] })],
  ])("is empty where %s", (_case, recall) => {
    const options = { thresholds: THRESHOLDS, looks: LOOKS };
    expect(createExtractiveAnswer(sampleIncident(), recall, options).answer.look_next).toEqual([]);
  });
});

describe("an answer to a benign alert", () => {
  it("has confidence 0.99, a reason and no steps", () => {
    const reason = "the alert Watchdog always fires; it is trouble only when it stops";
    expect(createBenignAnswer(reason, sampleIncident())).toEqual({
      ...UNTOUCHED,
      outcome: "benign",
      confidence: 0.99,
      answer: {
        ...EMPTY_ANSWER,
        summary: {
          text: "No incident: the alert Watchdog always fires; it is trouble only when it stops.",
          citations: [],
        },
      },
    });
  });
});

describe("an answer to a question that tries to instruct a model", () => {
  it("refuses with confidence 0 and names the category", () => {
    expect(createBlockedAnswer("jailbreak")).toEqual({
      ...UNTOUCHED,
      outcome: "unknown",
      confidence: 0,
      answer: {
        ...EMPTY_ANSWER,
        summary: {
          text: "This question was not answered: it looks like an instruction to a model (jailbreak). Ask what is wrong in other words.",
          citations: [],
        },
      },
    });
  });
});
