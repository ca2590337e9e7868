import { describe, expect, it } from "vitest";
import { checksOfCauses } from "../../../functions/answer-view/checks-of-causes.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { stepOf } from "../routes/slack/samples.ts";

const source = (id: string, file: string | null): TriageResult["sources"][number] => ({
  id,
  kind: file === null ? "incident" : "runbook",
  title: "",
  source: file,
  heading: "",
});
const SOURCES = [source("a1", "a.md"), source("a2", "a.md"), source("b1", "b.md"), source("past", null)];
const cause = (text: string, ...citations: string[]) => ({ text, citations, supported: true });
const check = (text: string, ...citations: string[]) => stepOf({ text, citations });

const pairsOf = (causes: ReturnType<typeof cause>[], confirm: ReturnType<typeof check>[]) =>
  [...checksOfCauses(causes, { confirm }, SOURCES)].map(([{ text }, step]) => [text, step.text]);

describe("the check of a cause", () => {
  it("is the first one that cites a document of this cause alone", () => {
    const causes = [cause("A", "a1"), cause("B", "b1")];
    const checks = [check("of a", "a2"), check("of b", "b1"), check("again of a", "a1")];
    expect(pairsOf(causes, checks)).toEqual([
      ["A", "of a"],
      ["B", "of b"],
    ]);
  });

  it("may be one of a past incident", () => {
    expect(pairsOf([cause("A", "a1"), cause("P", "past")], [check("of p", "past")])).toEqual([["P", "of p"]]);
  });

  it.each([
    ["two causes are of the document", [cause("A", "a1"), cause("B", "a2")], [check("of a", "a1")]],
    ["it cites the documents of two causes", [cause("A", "a1"), cause("B", "b1")], [check("of both", "a1", "b1")]],
    ["it cites nothing", [cause("A", "a1"), cause("B", "b1")], [check("of nothing")]],
    ["there is one cause", [cause("A", "a1")], [check("of a", "a1")]],
  ])("is none if %s", (_reason, causes, checks) => {
    expect(pairsOf(causes, checks)).toEqual([]);
  });
});
