import { describe, expect, it } from "vitest";
import { type AnswerView, answerView, type SectionKind } from "../../../functions/answer-view/answer-view.ts";
import { EMPTY_ANSWER } from "../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../functions/schemas/triage-result.ts";
import { ANSWERS } from "../cli/render/answers.ts";
import { sampleResult } from "../investigation/samples.ts";
import { stepOf } from "../routes/slack/samples.ts";

function sample(name: string): TriageResult {
  const result = ANSWERS[name];
  if (result === undefined) throw new Error(`There is no sample ${name}.`);
  return result;
}
const kinds = ({ sections }: AnswerView): SectionKind[] => sections.map(({ kind }) => kind);
const itemsOf = ({ sections }: AnswerView, kind: SectionKind) =>
  sections.filter((section) => section.kind === kind).flatMap(({ items }) => items);

describe("the view of an answer", () => {
  it("has what fixed it before in a place of its own, and the runbook's mitigation unless the fix has held three times", () => {
    const result = sample("cause-fixed-before");
    const view = answerView(result);
    expect(view.fix?.kind).toBe("worked_before");
    expect(kinds(view)).toEqual(["evidence", "causes", "confirm", "mitigate"]);
    const [past] = result.answer.worked_before;
    const briefKinds = (worked: number) => {
      const worked_before = past?.fix ? [{ ...past, fix: { ...past.fix, worked, came_back_at: null } }] : [];
      return kinds(answerView({ ...result, answer: { ...result.answer, worked_before } }, { brief: true }));
    };
    expect([briefKinds(2).includes("mitigate"), briefKinds(3).includes("mitigate")]).toEqual([true, false]);
  });

  it("has the names of the report in its commands, and says which placeholders stay", () => {
    const view = answerView(sample("cause"), { brief: true });
    expect(itemsOf(view, "confirm").map(({ command }) => command)).toEqual(["ctl stats api-gateway --namespace shop"]);
    expect(itemsOf(view, "mitigate")).toMatchObject([
      { warning: "changes state", undo: { text: "ctl update api-gateway --memory <old-limit>", isCommand: true } },
    ]);
    expect(view.notes.map(({ text }) => text)).toEqual([
      "From the report: <container> is api-gateway, <namespace> is shop.",
      "Replace <new-limit>, <old-limit>.",
    ]);
  });

  it("claims nothing for candidates: neither a cause nor a step that changes something", () => {
    const answer = { ...sample("cause").answer, possible_causes: sample("possible").answer.possible_causes };
    const view = answerView({ ...sample("possible"), answer });
    expect(kinds(view)).toContain("candidates");
    expect(kinds(view)).not.toContain("causes");
    expect(kinds(view)).not.toContain("mitigate");
  });

  it("says which placeholders of a command and of its undo stay", () => {
    const step = { command: "kubectl logs <pod> -n <namespace>", undo: "`undo <pod> <revision>`" };
    const answer = { ...EMPTY_ANSWER, summary: sample("cause").answer.summary, confirm: [stepOf(step)] };
    const view = answerView({ ...sample("cause"), answer, placeholders: { "<pod>": "checkout-7d9" } });
    expect(itemsOf(view, "confirm")).toMatchObject([
      { command: "kubectl logs checkout-7d9 -n <namespace>", open: ["<namespace>", "<revision>"] },
    ]);
  });

  it("has a note in place of the citations of a statement without a source, but for steps without a cause", () => {
    const unsupported = stepOf({ text: "Restart it.", citations: ["limit-1"], supported: false });
    const answer = {
      ...EMPTY_ANSWER,
      summary: sample("cause").answer.summary,
      confirm: [unsupported],
      look_next: [unsupported],
    };
    const view = answerView({ ...sample("cause"), answer });
    expect(itemsOf(view, "confirm")).toMatchObject([{ note: "no source says this", citations: [] }]);
    expect(itemsOf(view, "look_next")).toMatchObject([{ note: null, citations: [2] }]);
  });

  it("numbers every section of a source, and every document when it is brief", () => {
    expect(answerView(sample("cause")).sources.map(({ number, name }) => [number, name])).toEqual([
      [1, "shop/memory-limit.md"],
      [2, "shop/memory-limit.md › Root causes"],
      [3, "shop/memory-leak.md › Root causes"],
      [4, 'past incident "cart exited with code 137"'],
    ]);
    expect(answerView(sample("cause"), { brief: true }).sources.map(({ number, name }) => [number, name])).toEqual([
      [1, "shop/memory-limit.md"],
    ]);
  });

  it.each([
    ["note", "notes/deploys.md", "note notes/deploys.md › Cause"],
    ["postmortem", null, "postmortem A title › Cause"],
    ["incident", null, 'past incident "A title"'],
    ["past_answer", null, 'past answer "A title"'],
    ["check", "prometheus", "A title of Cause"],
  ] as const)("names a cited %s", (kind, source, name) => {
    const view = answerView(sampleResult({ sources: [{ id: "x", kind, title: "A title", source, heading: "Cause" }] }));
    expect(view.sources).toEqual([{ id: "x", number: 1, name }]);
  });

  it("drops citations of what is no source", () => {
    const answer = { ...EMPTY_ANSWER, summary: { text: "It was killed.", citations: ["unknown"] } };
    expect(answerView(sampleResult({ answer, sources: [] })).summary?.citations).toEqual([]);
  });
});
