// The causes of an answer with their checks.

import { describe, expect, it } from "vitest";
import { causesOf } from "../../../../console/src/views/incident/answer/model/causes.ts";
import { citationsOf, sharedCitations } from "../../../../console/src/views/incident/answer/model/citations.ts";
import type { TriageResult } from "../../../../functions/schemas/triage-result.ts";
import { type CheckVerdict, checkResultSchema } from "../../../../lib/checks/check.ts";
import { ANSWERS } from "../../cli/render/answers.ts";

const { cause, possible } = ANSWERS;
if (cause === undefined || possible === undefined) throw new Error("There are no samples.");

const checkOf = (name: string, verdict: CheckVerdict, ofCause: string | null, runbook = "shop/memory-limit.md") =>
  checkResultSchema.parse({
    id: `check:${runbook}#${name}`,
    name,
    language: "promql",
    verdict,
    statement: "it is so",
    rule: null,
    value: "0.97 (instance=db-1)",
    query: "up",
    cause: ofCause,
    runbook,
    citations: [],
    source: "metrics",
    checked_at: null,
    link: null,
  });
const withChecks = (checks: TriageResult["checks"], changes: Partial<TriageResult["answer"]> = {}): TriageResult => ({
  ...cause,
  checks,
  sources: [
    ...cause.sources,
    ...checks.map(({ id, name, runbook }) => ({
      id,
      kind: "check" as const,
      title: `check ${name}`,
      source: "metrics",
      heading: runbook,
    })),
  ],
  answer: { ...cause.answer, ...changes },
});
const LIMIT = "Memory limit below the working set";

describe("a cause", () => {
  it("is not checked without a check", () => {
    const { causes } = causesOf(cause);
    expect(new Set(causes.map(({ state }) => state))).toEqual(new Set(["not_checked"]));
    expect(causes[0]?.lead).toBe(`${LIMIT}.`);
    expect(causes[0]?.rest).toMatch(/^Use rises/);
  });

  it("is confirmed by the check that it cites, which is no citation beside it", () => {
    const check = checkOf("limit", "confirmed", null);
    const [first, ...others] = cause.answer.likely_causes.map((each, i) =>
      i === 0 ? { ...each, citations: [...each.citations, check.id] } : each,
    );
    if (first === undefined) throw new Error("There is no cause.");
    const { causes, otherChecks } = causesOf(withChecks([check], { likely_causes: [first, ...others] }));
    expect(causes[0]).toMatchObject({ state: "confirmed", checks: [check], citations: ["limit-1"] });
    expect(causes[1]).toMatchObject({ state: "not_checked", checks: [] });
    expect(otherChecks).toEqual([]);
  });

  it.each([
    ["inconclusive", "undecided"],
    ["not_run", "not_checked"],
  ] as const)("has the check of its runbook that is %s", (verdict, state) => {
    const { causes, otherChecks } = causesOf(withChecks([checkOf("limit", verdict, LIMIT)]));
    expect(causes[0]).toMatchObject({ state, checks: [{ name: "limit" }] });
    expect(otherChecks).toEqual([]);
  });

  it("has no check of another runbook, whatever its words", () => {
    const { causes, otherChecks } = causesOf(withChecks([checkOf("limit", "confirmed", LIMIT, "other/memory.md")]));
    expect(causes[0]?.state).toBe("not_checked");
    expect(otherChecks).toMatchObject([{ name: "limit" }]);
  });

  it("says that its checks contradict each other", () => {
    const checks = [checkOf("limit", "confirmed", LIMIT), checkOf("use", "refuted", LIMIT)];
    expect(causesOf(withChecks(checks)).causes[0]?.state).toBe("contradictory");
  });

  it("that is ruled out keeps its check to itself", () => {
    const check = checkOf("limit", "refuted", LIMIT);
    const ruled_out = [{ text: LIMIT, reason: "The limit is not reached.", citations: [check.id] }];
    const { ruledOut, otherChecks } = causesOf(withChecks([check], { likely_causes: [], ruled_out }));
    expect(ruledOut).toEqual(ruled_out);
    expect(otherChecks).toEqual([]);
  });
});

describe("citations", () => {
  it("number documents, name sections, and show the value of a check", () => {
    const check = checkOf("limit", "confirmed", null);
    const citations = citationsOf(withChecks([check]));
    expect(citations.get("limit-0")).toMatchObject({ number: 1, label: "shop/memory-limit.md" });
    expect(citations.get("limit-1")).toMatchObject({ number: 1, label: "Root causes" });
    expect(citations.get("leak-1")).toMatchObject({ number: 2, name: "shop/memory-leak.md › Root causes" });
    expect(citations.get(check.id)).toMatchObject({
      number: null,
      label: "check limit: 0.97",
      content: { kind: "check" },
    });
  });

  it("hold the text that the result has, and leave the rest to the API", () => {
    const hit = {
      score: 1,
      features: {},
      probability: 0.9,
      relevance: { log_odds: 2.2, contributions: {} },
      relevant: true,
    };
    const text = { kind: "runbook" as const, source: "shop/memory-limit.md", text: "Memory use rises." };
    const runbooks = [{ ...hit, ...text, id: "limit-1", title: "Memory limit", heading: "Root causes" }];
    const citations = citationsOf({ ...cause, recalled: { ...cause.recalled, runbooks } });
    expect(citations.get("limit-1")?.content).toEqual({ kind: "text", text: "Memory use rises." });
    expect(citations.get("leak-1")?.content).toEqual({ kind: "elsewhere" });
  });

  it("are shared by statements that cite the same", () => {
    const cites = (...citations: string[]) => ({ citations });
    expect(sharedCitations([cites("a", "b"), cites("b", "a")])).toEqual(["a", "b"]);
    expect(sharedCitations([cites("a"), cites("b")])).toBeNull();
    expect(sharedCitations([cites("a")])).toBeNull();
  });
});
