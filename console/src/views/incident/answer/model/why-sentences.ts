// Why this answer, in sentences: what the report shares with the nearest text, and what the next best lacks. Pure functions.

import { percentOf } from "../../../../../../functions/answer-view/percent.ts";
import { chosenSentence } from "../../../../../../functions/answer-view/verdict.ts";
import type { RunbookHit, TriageResult } from "../../../../../../functions/schemas/triage-result.ts";

/** What a feature must contribute to the log-odds to be worth a sentence. */
const MIN_CONTRIBUTION = 0.3;
const MAX_WORDS = 6;
/** A lone letter or digit says nothing. */
const MIN_LETTERS = 2;

type Explained = Pick<TriageResult, "title" | "incident_type" | "outcome"> & {
  readonly recalled: Pick<TriageResult["recalled"], "runbooks">;
  readonly answer: Pick<TriageResult["answer"], "evidence">;
};

/** The best section of each text, the most probable text first. */
export function nearestTexts(hits: readonly RunbookHit[]): RunbookHit[] {
  const best = hits.filter((hit, i) => hits.findIndex(({ source }) => source === hit.source) === i);
  return best.toSorted((a, b) => b.probability - a.probability);
}

/** @param reported title, question and log of the report: words of its labels are no evidence */
export function whySentences(result: Explained, reported: string): string[] {
  const hits = result.recalled.runbooks;
  const chosen = hits.find(({ features }) => features.attached?.chosen !== undefined);
  const [nearestText, second] = nearestTexts(hits);
  const first = chosen ?? nearestText;
  if (first === undefined) return ["No runbook, note or postmortem was found."];
  const shared = sharedWords(first, hits, reported);
  const words = [...shared.keys()].slice(0, MAX_WORDS);
  const isAnswer = result.outcome === "cause" || result.outcome === "possible";
  const text = `“${first.title}”`;
  const nearest = isAnswer ? text : `the nearest text, ${text} (${percentOf(first.probability)})`;
  return [
    ...chosenSentence(chosen),
    ...(words.length > 0
      ? [`These words stand in both the report and ${nearest}: ${words.join(", ")}.`]
      : chosen === undefined
        ? [`The report has no word in common with ${nearest}.`]
        : []),
    ...(isAnswer ? decidingLine(result, first, shared) : missingWords(result.title, textOf(first, hits))),
    ...(of(first, /^type$/) >= MIN_CONTRIBUTION
      ? [`It is about the type ${result.incident_type.name.replaceAll("_", " ")}: ${result.incident_type.rule}.`]
      : []),
    ...checkSentence(of(first, /^checks$/)),
    ...(isAnswer && second !== undefined && chosen === undefined
      ? [nextBest(second, sharedWords(second, hits, reported), words)]
      : []),
  ];
}

/** The words of the report that stand in the text, as the text writes them, those that say most first; with their weights. */
function sharedWords({ source }: RunbookHit, hits: readonly RunbookHit[], reported: string): Map<string, number> {
  const own = hits.filter((hit) => hit.source === source);
  const terms = own.flatMap((hit) => Object.entries(hit.features.bm25?.terms ?? {})).sort(([, a], [, b]) => b - a);
  const text = own.map((hit) => `${hit.title}\n${hit.heading}\n${hit.text}`).join("\n");
  const shared = new Map<string, number>();
  for (const [term, weight] of terms) {
    // The index has stems: `machin` stands for "machine".
    const word = wordOf(term, text);
    const isNew =
      word !== null &&
      wordOf(term, reported) !== null &&
      ![...shared.keys()].some((each) => each.toLowerCase() === word.toLowerCase());
    if (isNew) shared.set(word, weight);
  }
  return shared;
}

function wordOf(stem: string, text: string): string | null {
  if (stem.length < MIN_LETTERS) return null;
  const escaped = stem.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}\\p{L}*`, "iu").exec(text)?.[0] ?? null;
}

/** The line of the log that has most of the shared words, if the lines spoke for the text. */
function decidingLine({ answer }: Explained, hit: RunbookHit, shared: ReadonlyMap<string, number>): string[] {
  if (of(hit, /^line_/) < MIN_CONTRIBUTION) return [];
  const lines = answer.evidence.flatMap(({ quote, place }) => (quote === null || place === null ? [] : [quote]));
  const weightOf = (line: string) =>
    [...shared].reduce((sum, [word, weight]) => (wordOf(word, line) === null ? sum : sum + weight), 0);
  const [best] = lines.map((line) => ({ line, weight: weightOf(line) })).sort((a, b) => b.weight - a.weight);
  return best === undefined || best.weight === 0 ? [] : [`This line decides: \`${best.line.replaceAll("`", "'")}\`.`];
}

function missingWords(title: string, text: string): string[] {
  const words = new Set(title.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
  const missing = [...words].filter((word) => wordOf(word, text) === null).slice(0, MAX_WORDS);
  return missing.length === 0 ? [] : [`It lacks these words of the report: ${missing.join(", ")}.`];
}

function checkSentence(contribution: number): string[] {
  if (Math.abs(contribution) < MIN_CONTRIBUTION) return [];
  return [
    contribution > 0
      ? "A check of the running system speaks for it."
      : "A check of the running system speaks against it.",
  ];
}

function nextBest(
  { title, probability }: RunbookHit,
  own: ReadonlyMap<string, number>,
  words: readonly string[],
): string {
  const owned = new Set([...own.keys()].map((word) => word.toLowerCase()));
  const lacking = words.filter((word) => !owned.has(word.toLowerCase()));
  const text = `The next best text, “${title}” (${percentOf(probability)}),`;
  return lacking.length === 0
    ? `${text} has these words too, but fits worse otherwise.`
    : `${text} lacks ${lacking.join(", ")}.`;
}

function textOf({ source }: RunbookHit, hits: readonly RunbookHit[]): string {
  return hits
    .filter((hit) => hit.source === source)
    .map(({ title, text }) => `${title}\n${text}`)
    .join("\n");
}

/** The sum of the contributions of features whose name matches. */
function of({ relevance }: RunbookHit, name: RegExp): number {
  return Object.entries(relevance.contributions).reduce((sum, [key, value]) => (name.test(key) ? sum + value : sum), 0);
}
