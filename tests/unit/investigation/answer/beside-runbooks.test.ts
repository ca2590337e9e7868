// Notes, logs and postmortems in prompts and answers.

import { describe, expect, it } from "vitest";
import { createExtractiveAnswer } from "../../../../functions/investigation/answer/extractive-answer.ts";
import { createVerifier } from "../../../../functions/investigation/answer/verifier.ts";
import { citableTexts, rankedHits } from "../../../../functions/investigation/evidence/citable-texts.ts";
import { textBlocks } from "../../../../functions/investigation/prompts/context-blocks.ts";
import type { RecalledRunbook } from "../../../../functions/investigation/recall/recall-result.ts";
import { textDocuments } from "../../../../functions/knowledge/text-documents.ts";
import type { TextKind } from "../../../../functions/schemas/text-kind.ts";
import { redact } from "../../../../lib/redaction/redact.ts";
import { hitOf, NOW, recallOf, sampleIncident, sampleRelevance, sampleRunbook, THRESHOLDS } from "../samples.ts";

const RUNBOOK = "# Exit code 137\n\nThe kernel killed it.\n\n## Mitigate\n\n1. Raise the limit.\n";

/** An ingested text with all its chunks among the hits. */
function recalled(kind: TextKind, text: string, { probability = 0.8, score = 0.02, name = kind as string } = {}) {
  const chunking = { size: 40, overlap: 0 };
  const { documents, title } = textDocuments(
    { source: name, domain: "docker", kind, text, tags: [] },
    { redact, chunking, now: NOW },
  );
  const hits = documents.map((document, i) => hitOf(document, score - i / 1_000));
  return {
    source: name,
    key: name,
    title,
    isOverview: false,
    relevance: sampleRelevance(probability),
    hits,
    sections: documents,
  } satisfies RecalledRunbook;
}

const compose = (...runbooks: RecalledRunbook[]) =>
  createExtractiveAnswer(sampleIncident(), recallOf({ runbooks }), { thresholds: THRESHOLDS });

describe("an extractive answer", () => {
  it.each([
    ["as well", 0.8, 0.8, "Exit code 137"],
    ["nearly as well", 0.85, 0.76, "Exit code 137"],
    ["much worse", 0.9, 0.6, "It was the cache"],
    ["not at all", 0.9, 0.4, "It was the cache"],
  ])("quotes the runbook or the note when the runbook fits %s", (_, note, runbook, title) => {
    const first = recalled("note", "It was the cache\n\nIt grew and grew.", { probability: note });
    const { answer } = compose(first, sampleRunbook(RUNBOOK, { probability: runbook }));
    expect(answer.summary.text).toContain(title);
  });

  it("repeats the first line of a note only once", () => {
    const { answer } = compose(recalled("note", "It was the cache\n\nIt grew."));
    expect(answer.summary.text).toBe('This matches the note "It was the cache".');
    expect(answer.likely_causes.map(({ text }) => text)).toEqual(["It grew."]);
  });

  it("names the kind of a source without an introduction", () => {
    const { answer } = compose(recalled("postmortem", "# Cache\n\n## What happened\n\nIt grew."));
    expect(answer.summary.text).toBe('This matches the postmortem "Cache".');
  });

  it("never rests on a log, and shows at most two", () => {
    const logs = ["a", "b", "c"].map((name) =>
      recalled("log", `2026-03-01T03:00:00Z ERROR ${name} was killed`, { name }),
    );
    const { outcome, answer, confidence } = compose(...logs);
    expect([outcome, confidence]).toEqual(["unknown", 0]);
    expect(answer.evidence.map(({ text }) => text)).toEqual([
      'The log "a" (2026-03-01T03:00:00Z) shows: 2026-03-01T03:00:00Z ERROR a was killed',
      'The log "b" (2026-03-01T03:00:00Z) shows: 2026-03-01T03:00:00Z ERROR b was killed',
    ]);
    expect(compose(recalled("log", "ERROR x", { probability: 0.2 })).answer.evidence).toEqual([]);
  });
});

describe("the citable texts", () => {
  const log = recalled(
    "log",
    Array.from({ length: 40 }, (_, i) => `ERROR ${"ab".repeat(i + 1)} killed it`).join("\n"),
    {
      score: 0.9,
    },
  );
  const unranked = sampleRunbook("# A\n\nB.\n\n## Symptoms\n\nC.\n\n## Confirm\n\nD.\n\n## Mitigate\n\nE.\n");
  const runbook = { ...unranked, hits: unranked.sections.map((section) => hitOf(section, 0.01)) };
  const recall = recallOf({ runbooks: [log, runbook] });

  it("are at least half runbook sections", () => {
    const kinds = rankedHits(recall, { RUNBOOK_RECALL_LIMIT: 5 }).map(({ hit }) => hit.document.metadata.kind);
    expect(kinds).toEqual(["log", "log", "runbook", "runbook", "runbook"]);
    expect(rankedHits(recall, { RUNBOOK_RECALL_LIMIT: 1 })).toHaveLength(1);
  });

  it("include the best section of a text that is more probable than those ranked before it", () => {
    const ranked = ["a", "b", "c", "d"].map((source, i) => {
      const each = sampleRunbook("# A\n\nB.", { source, probability: source === "d" ? 0.9 : 0.2 });
      return { ...each, hits: each.sections.map((section) => hitOf(section, 1 - i / 10)) };
    });
    const hits = rankedHits(recallOf({ runbooks: ranked }), { RUNBOOK_RECALL_LIMIT: 3 });
    expect(hits.map(({ runbook: { source } }) => source)).toEqual(["a", "b", "d"]);
  });

  it("include all sections of the best runbook and the ranked sections of a log", () => {
    const texts = citableTexts(recall, { RUNBOOK_RECALL_LIMIT: 2 });
    expect(texts.map(({ document }) => document.metadata.kind)).toEqual([
      "log",
      ...runbook.sections.map(() => "runbook"),
    ]);
  });

  it("show kind and date of a source that is not a runbook", () => {
    const blocks = textBlocks(citableTexts(recall, { RUNBOOK_RECALL_LIMIT: 2 }));
    expect(blocks).toContain('<runbook id="R1" kind="log" written="2026-03-01" source="log"');
    expect(blocks).toContain('<runbook id="R2" source="exit-137.md"');
  });
});

it("a log supports no cause, and a note allows no link", () => {
  const texts = citableTexts(
    recallOf({
      runbooks: [
        recalled("log", "ERROR see https://logs.example.com", { name: "l" }),
        recalled("note", "Read https://notes.example.com", { name: "n" }),
        sampleRunbook("# A\n\nRead https://runbooks.example.com\n"),
      ],
    }),
    { RUNBOOK_RECALL_LIMIT: 6 },
  );
  const verifier = createVerifier(sampleIncident(), texts, THRESHOLDS);
  const carries = Object.fromEntries(
    texts.map(({ document }) => [document.metadata.kind, verifier.supportsCause(document.id)]),
  );
  expect(carries).toEqual({ log: false, note: true, runbook: true });
  expect([...verifier.links.hosts]).toEqual(["runbooks.example.com"]);
});
