import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { createVerifier } from "../../../../functions/investigation/answer/verifier.ts";
import { verifyDraft } from "../../../../functions/investigation/answer/verify-draft.ts";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import type { Draft } from "../../../../functions/investigation/prompts/synthesise.ts";
import { groupByTopic } from "../../../../functions/investigation/recall/search-for-runbooks.ts";
import { textDocuments } from "../../../../functions/knowledge/text-documents.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { hitOf, NOW, recallOf, sampleDraft, sampleIncident, sampleRelevance, THRESHOLDS } from "../samples.ts";

const PAGE = `# Store troubleshooting

Back up the keys of the store before anything else.

## Full request slots

The kernel has no free request slots, so no disk is opened.

### Solution

1. Raise the number of request slots.

## Broken disk

### Symptoms

- A disk reports read errors.

### Causes

- The disk is worn out.

### Solution

1. Remove the disk from the store.

## Clock skew

The clocks of the nodes differ.
`;

const { documents } = textDocuments(
  { source: "store.md", domain: "docker", kind: "runbook", text: PAGE, tags: [], isMarkdown: true },
  { redact, chunking: { size: 400, overlap: 50 }, now: NOW },
);

/** The recalled topics of the page, with the section below a heading as its best hit. The first is the most probable. */
function topicsFoundAt(...heading: readonly string[]) {
  const best = documents.filter(({ headingPath }) => headingPath.join() === heading.join());
  const others = documents.filter((document) => !best.includes(document));
  const hits = [...best, ...others].map((section, i) => hitOf(section, 0.02 - i / 1_000));
  return groupByTopic({ hits, siblings: [] }).map((group, i) => ({
    ...group,
    relevance: sampleRelevance(i === 0 ? 0.95 : 0.2),
  }));
}

const answerTo = (...heading: readonly string[]) =>
  createExtractiveAnswer(sampleIncident(), recallOf({ runbooks: topicsFoundAt(...heading) }), {
    thresholds: THRESHOLDS,
  });

const textsIn = (items: readonly { readonly text: string }[]) => items.map(({ text }) => text);

describe("an answer from a text about several failures", () => {
  it("takes causes, steps and summary from the failure that was found", () => {
    const { outcome, answer } = answerTo("Full request slots");
    expect([outcome, textsIn(answer.mitigate)]).toEqual(["cause", ["Raise the number of request slots."]]);
    expect(textsIn(answer.likely_causes)).toEqual(["The kernel has no free request slots, so no disk is opened."]);
    expect(JSON.stringify(answer)).not.toMatch(/worn out|Remove the disk|Back up/);
  });

  it("takes no step from another topic for a topic without steps", () => {
    const { answer } = answerTo("Clock skew");
    expect([textsIn(answer.likely_causes), answer.mitigate, answer.confirm]).toEqual([
      ["The clocks of the nodes differ."],
      [],
      [],
    ]);
  });

  it("claims no cause from an overview alone, and leaves it out beside a topic", () => {
    const overview = topicsFoundAt().filter(({ isOverview }) => isOverview);
    expect(overview).toEqual([]);
    const [opening] = documents;
    const groups = opening ? groupByTopic({ hits: [hitOf(opening)], siblings: [] }) : [];
    const runbooks = groups.map((group) => ({ ...group, relevance: sampleRelevance(0.95) }));
    const { outcome, answer } = createExtractiveAnswer(sampleIncident(), recallOf({ runbooks }), {
      thresholds: THRESHOLDS,
    });
    expect([outcome, answer.likely_causes, answer.mitigate]).toEqual(["possible", [], []]);
  });
});

describe("a model's answer from a text about several failures", () => {
  const texts = citableTexts(recallOf({ runbooks: topicsFoundAt("Full request slots") }), { RUNBOOK_RECALL_LIMIT: 9 });
  const nameOf = (...heading: readonly string[]) =>
    texts.find(({ document }) => document.headingPath.join() === heading.join())?.name ?? "";
  const own = nameOf("Full request slots", "Solution");
  const other = nameOf("Broken disk", "Solution");
  const verify = (changes: Partial<Draft>) =>
    verifyDraft(sampleDraft(changes), createVerifier(sampleIncident(), texts, THRESHOLDS));
  const causeBy = (citation: string) => ({
    citations: [citation],
    verdict: "kept" as const,
    cause: "C.",
    reason: "R.",
  });
  const stepBy = (citation: string) => ({ citations: [citation], text: `By ${citation}.`, command: null });

  it("shows no step of another failure, and no citation of it in a step", () => {
    const { outcome, answer, removed } = verify({
      hypotheses: [causeBy(own)],
      summary: { citations: [other], text: "The disk is worn out." },
      confirm: [stepBy(other), stepBy(own)],
      mitigate: [stepBy(other), { ...stepBy(own), citations: [own, other] }].map((step) => ({
        ...step,
        effect: "changes_state" as const,
        rollback: null,
      })),
      prevention: [{ citations: [other], text: "Replace disks." }],
    });
    const { confirm, mitigate, prevention, summary } = answer;
    expect([outcome, textsIn(confirm), textsIn(mitigate), prevention]).toEqual([
      "cause",
      [`By ${own}.`],
      [`By ${own}.`],
      [],
    ]);
    expect([mitigate[0]?.citations.length, summary.text, removed.statements]).toEqual([1, "C.", 3]);
  });

  it("is at most possible if its cause is about another failure", () => {
    const { outcome, answer } = verify({ hypotheses: [causeBy(other)] });
    expect([outcome, answer.likely_causes, answer.mitigate]).toEqual(["possible", [], []]);
  });
});
