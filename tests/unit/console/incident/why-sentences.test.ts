// Why this answer, in sentences: words in common, the deciding line, what the next best text lacks.

import { expect, it } from "vitest";
import { whySentences } from "../../../../console/src/views/incident/answer/model/why-sentences.ts";
import type { RunbookHit } from "../../../../functions/schemas/triage-result.ts";

/** @param terms weights of the stems that the report shares with it */
function hit(
  title: string,
  probability: number,
  terms: Record<string, number>,
  contributions: Record<string, number> = {},
): RunbookHit {
  return {
    score: 1,
    features: { bm25: { rank: 1, value: 1, score: 1, terms } },
    probability,
    relevance: { log_odds: 0, contributions },
    relevant: probability > 0.5,
    id: title,
    kind: "runbook",
    source: `${title}.md`,
    title,
    heading: "",
    text: `${title}. The container exits with 137, killed; the machine is out of memory.`,
  };
}

const evidence = (quote: string) => ({
  text: "",
  citations: [],
  supported: true,
  quote,
  place: { line: 1, count: 1, time: null },
});
const report = {
  title: "cart exited with 137",
  incident_type: { name: "oom_killed", rule: 'words "exited"' },
  outcome: "cause" as const,
  answer: { evidence: [evidence("INFO retry"), evidence("FATAL container killed: 137")] },
};
// A word of its labels stands in the text as well: `machine` of the log does, `memory` of a label does not count.
const REPORTED = "cart exited with 137\nFATAL container killed: 137 on machine 7";

it("says that a person chose the text, and nothing of words that it lacks or of other texts", () => {
  const chosen = hit("Host disk full", 0.8, {});
  const attached = { rank: 1, value: 10, chosen: { by: "dana", at: "2026-03-01T03:00:00Z" } };
  const runbooks = [{ ...chosen, features: { attached } }, hit("Out of memory", 0.89, { machin: 2 })];
  expect(whySentences({ ...report, recalled: { runbooks } }, REPORTED)).toEqual([
    "dana chose “Host disk full” for this failure, on 2026-03-01 03:00 UTC.",
  ]);
});

it("names words as the text writes them, the line that decides, the type, and what the next best text lacks", () => {
  const runbooks = [
    hit("Restart loop", 0.02, { contain: 3, "137": 1 }),
    hit(
      "Out of memory",
      0.89,
      { machin: 1, memory: 9, "137": 6, kill: 4, contain: 3 },
      { type: 0.6, line_sentence: 0.5 },
    ),
  ];
  expect(whySentences({ ...report, recalled: { runbooks } }, REPORTED)).toEqual([
    "These words stand in both the report and “Out of memory”: 137, killed, container, machine.",
    "This line decides: `FATAL container killed: 137`.",
    'It is about the type oom killed: words "exited".',
    "The next best text, “Restart loop” (2 %), lacks killed, machine.",
  ]);
});

it("of an unknown failure, says what the nearest text lacks", () => {
  const runbooks = [hit("Helm lock", 0.08, { machin: 3 }, { line_sentence: 2 })];
  const unknown = { ...report, outcome: "unknown" as const, title: "The flux capacitor of a machine hums" };
  expect(whySentences({ ...unknown, recalled: { runbooks } }, REPORTED)).toEqual([
    "These words stand in both the report and the nearest text, “Helm lock” (8 %): machine.",
    "It lacks these words of the report: flux, capacitor, hums.",
  ]);
  expect(whySentences({ ...unknown, recalled: { runbooks: [] } }, REPORTED)).toEqual([
    "No runbook, note or postmortem was found.",
  ]);
});
