import { describe, expect, it } from "vitest";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import type { RecalledRunbook } from "../../../../functions/investigation/recall/recall-result.ts";
import { hitOf, recallOf, samplePastIncident, sampleRunbook } from "../samples.ts";

const sections = (title: string) =>
  `# ${title}\n\nIntro.\n\n## Symptoms\n\nA.\n\n## Confirm\n\nB.\n\n## Mitigate\n\nC.\n`;

/** A runbook with these ranked sections and scores. */
function ranked(source: string, scores: Readonly<Record<number, number>>): RecalledRunbook {
  const runbook = sampleRunbook(sections(source), { source });
  const hits = runbook.sections.flatMap((section, i) => {
    const score = scores[i];
    return score === undefined ? [] : [hitOf(section, score)];
  });
  return { ...runbook, hits: hits.sort((a, b) => b.score - a.score) };
}

const LIMIT = { RUNBOOK_RECALL_LIMIT: 5 };
const shown = (recall: Parameters<typeof recallOf>[0], config = LIMIT) =>
  citableTexts(recallOf(recall), config).map(({ name, kind, document }) => [name, kind, document.id]);

describe("the citable texts", () => {
  it("are empty for an empty recall", () => {
    expect(shown({})).toEqual([]);
  });

  it("include all sections of the best runbook in order, and the ranked sections of others", () => {
    const best = ranked("best.md", { 2: 0.9 });
    const other = ranked("other.md", { 3: 0.8, 1: 0.7 });
    expect(shown({ runbooks: [best, other] })).toEqual([
      ["R1", "runbook", "best.md#0"],
      ["R2", "runbook", "best.md#1"],
      ["R3", "runbook", "best.md#2"],
      ["R4", "runbook", "best.md#3"],
      ["R5", "runbook", "other.md#1"],
      ["R6", "runbook", "other.md#3"],
    ]);
  });

  it("include sections of other runbooks by score, up to the limit", () => {
    const best = ranked("best.md", { 0: 0.9 });
    const other = ranked("other.md", { 0: 0.5, 1: 0.3 });
    const third = ranked("third.md", { 2: 0.4 });
    const ids = shown({ runbooks: [best, other, third] }, { RUNBOOK_RECALL_LIMIT: 3 }).map(([, , id]) => id);
    expect(ids.slice(4)).toEqual(["other.md#0", "third.md#2"]);
  });

  it("include all of the best runbook even if none of its sections is ranked", () => {
    const best = ranked("best.md", { 0: 0.1 });
    const other = ranked("other.md", { 0: 0.9 });
    expect(shown({ runbooks: [best, other] }, { RUNBOOK_RECALL_LIMIT: 1 }).map(([, , id]) => id)).toEqual([
      "best.md#0",
      "best.md#1",
      "best.md#2",
      "best.md#3",
      "other.md#0",
    ]);
  });

  it("include every recalled incident in order, with names of their own", () => {
    const incidents = ["p", "q"].map((id) => samplePastIncident(id));
    expect(shown({ incidents })).toEqual([
      ["I1", "incident", "p"],
      ["I2", "incident", "q"],
    ]);
    expect(shown({ runbooks: [sampleRunbook("Words.", { source: "n.md" })], incidents }).map(([name]) => name)).toEqual(
      ["R1", "I1", "I2"],
    );
  });

  it("contain each text and each name once", () => {
    const recall = {
      runbooks: [ranked("a.md", { 0: 0.9, 1: 0.8 }), ranked("b.md", { 0: 0.7, 2: 0.6 })],
      incidents: [samplePastIncident("p")],
    };
    const texts = shown(recall);
    expect(new Set(texts.map(([name]) => name)).size).toBe(texts.length);
    expect(new Set(texts.map(([, , id]) => id)).size).toBe(texts.length);
  });

  it("do not modify the recall", () => {
    const recall = { runbooks: [ranked("a.md", { 0: 0.1 }), ranked("b.md", { 0: 0.9 })] };
    const before = structuredClone(recall);
    shown(recall);
    expect(recall).toEqual(before);
  });
});
