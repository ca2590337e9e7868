// What checks that ran say of a cause.

import { describe, expect, it } from "vitest";
import { causeState } from "../../../functions/answer-view/checks-of-causes.ts";
import { type CheckVerdict, checkResultSchema } from "../../../lib/checks/check.ts";
import { ANSWERS } from "../cli/render/answers.ts";

const SOURCES = ANSWERS.cause?.sources ?? [];
const LIMIT = "Memory limit below the working set";
const CAUSE = { text: `**${LIMIT}.** Use rises to the limit.`, citations: ["limit-1"], supported: true };

const checkOf = (verdict: CheckVerdict, runbook = "shop/memory-limit.md") =>
  checkResultSchema.parse({
    id: `check:${runbook}#${verdict}`,
    name: verdict,
    language: "promql",
    verdict,
    statement: "it is so",
    rule: null,
    value: null,
    query: "up",
    cause: `${LIMIT}. Use rises.`,
    runbook,
    citations: [],
    source: "metrics",
    checked_at: null,
    server: null,
    as_of: null,
    link: null,
  });
const leadOf = (...checks: ReturnType<typeof checkOf>[]) => causeState(CAUSE, { checks, sources: SOURCES }).lead;

describe("a cause", () => {
  it.each([
    [[], null],
    [["not_run"], null],
    [["refuted"], null],
    [["inconclusive", "not_run"], "Checked, not decided"],
    [["confirmed", "inconclusive"], "Confirmed by a check"],
    [["confirmed", "refuted"], "Checks contradict each other"],
  ] as const)("with the verdicts %j of its runbook's checks has the lead %j", (verdicts, lead) => {
    expect(leadOf(...verdicts.map((verdict) => checkOf(verdict)))).toBe(lead);
  });

  it("is not confirmed by a check of the whole runbook, which says nothing about its causes", () => {
    const check = { ...checkOf("confirmed"), cause: null };
    expect(causeState({ ...CAUSE, citations: [check.id] }, { checks: [check], sources: SOURCES }).lead).toBeNull();
  });

  it("has no check of another runbook, whatever its words, unless it cites it", () => {
    const check = checkOf("confirmed", "other/memory.md");
    expect(leadOf(check)).toBeNull();
    const citing = { ...CAUSE, citations: [...CAUSE.citations, check.id] };
    expect(causeState(citing, { checks: [check], sources: SOURCES })).toEqual({
      lead: "Confirmed by a check",
      leadTone: "good",
    });
  });
});
