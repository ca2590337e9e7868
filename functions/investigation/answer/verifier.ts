// Checks of a model's citations, quotations and links against the recalled texts and the report. verify-draft.ts applies
// them to a finished draft, answer-stream.ts to a partial one. Pure functions.

import { hostsIn, type LinkPolicy, urlsIn } from "../../guardrails/links/remove-links.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { CitableText } from "../evidence/citable-texts.ts";

export interface Verifier {
  readonly links: LinkPolicy;
  /** The ids of the names, each once; names that no prompt showed are dropped. */
  cite(names: readonly string[]): string[];
  /** Whether the report or its logs contain the quote. */
  isReported(quote: string): boolean;
  isPastIncident(id: string): boolean;
  /** Whether a text can support a cause: not a log, and not an incident without a fix. */
  supportsCause(id: string): boolean;
}

/** Occurrences of a quote that are checked. A quote with more occurrences inside longer words proves nothing. */
const MAX_OCCURRENCES = 200;
/** Minimum characters of a specific word alone, of one beside other words, and of a code (137, OOM). */
const MIN_WORD_ALONE = 6;
const MIN_WORD_BESIDE_OTHERS = 4;
const MIN_CODE = 3;
const STOP_WORDS = new Set(
  "with from this that have been were when then into over there which after before".split(" "),
);
/** Scripts without spaces between words: each character counts as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Placeholders of redacted text. */
const PLACEHOLDER = /\[(?:redacted_[a-z_]+|line removed[^\]]*)\]/gi;
const SEPARATOR = "\u001e";

export function createVerifier(incident: Incident, texts: readonly CitableText[]): Verifier {
  const ids = new Map(
    texts.flatMap(({ name, document }) => [name, document.id].map((key) => [key.toLowerCase(), document.id])),
  );
  const incidentIds = new Set(texts.flatMap(({ kind, document }) => (kind === "incident" ? [document.id] : [])));
  const labels = Object.entries(incident.labels).map(([key, value]) => `${key}=${value} ${value}`);
  const { title, question, target, logs } = incident;
  // The separator keeps a quote from spanning two parts.
  const reported = [title, question ?? "", target ?? "", ...labels, logs ?? ""].map(normalise).join(SEPARATOR);
  const fixedIds = new Set(
    texts.flatMap((text) =>
      text.kind === "incident" && text.observation.resolution !== null ? [text.document.id] : [],
    ),
  );
  const cachedResults = new Map<string, boolean>();
  const sections = texts.flatMap(({ kind, document }) => (kind === "runbook" ? [document] : []));
  // Only runbooks allow a link: notes are not curated.
  const runbooks = sections.flatMap((document) => (sourceKindOf(document) === "runbook" ? [document.body] : []));
  const logIds = new Set(sections.flatMap((document) => (sourceKindOf(document) === "log" ? [document.id] : [])));
  const headline = [title, question ?? "", target ?? ""].join("\n");
  return {
    links: { hosts: new Set(runbooks.flatMap(hostsIn)), urls: new Set(urlsIn(headline)) },
    cite: (names) => [...new Set(names.flatMap((name) => ids.get(bareName(name)) ?? []))],
    isReported(quote) {
      // Cached: a stream checks the same quote on every update, and a log may be long.
      const cached = cachedResults.get(quote);
      if (cached !== undefined) return cached;
      const isReported = isSpecific(quote) && containsWords(reported, normalise(quote));
      cachedResults.set(quote, isReported);
      return isReported;
    },
    isPastIncident: (id) => incidentIds.has(id),
    supportsCause: (id) => !logIds.has(id) && (!incidentIds.has(id) || fixedIds.has(id)),
  };
}

/** "[R2]" and "r2" are R2. */
export function bareName(name: string): string {
  return name.replace(/[[\]\s]/g, "").toLowerCase();
}

/** Whether a quote has a specific word or a code: "api" alone is in any report. */
function isSpecific(quote: string): boolean {
  const words = quote.replace(PLACEHOLDER, " ").match(/[\p{L}\p{N}][^\s]*/gu) ?? [];
  const length = (word: string) => (UNSPACED.test(word) ? word.length * MIN_WORD_ALONE : word.length);
  const isCode = (word: string) => /\p{N}|^\P{Ll}+$/u.test(word) && word.length >= MIN_CODE;
  const minLength = words.length > 1 ? MIN_WORD_BESIDE_OTHERS : MIN_WORD_ALONE;
  return words.some((word) => isCode(word) || (length(word) >= minLength && !STOP_WORDS.has(word.toLowerCase())));
}

/** Whether the text contains the words as whole words: "code 1" is not in "code 137". */
function containsWords(text: string, words: string): boolean {
  let at = text.indexOf(words);
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; count++, at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const startsWord = !isWithinWord(text[at - 1], text[at]);
    if (startsWord && !isWithinWord(text[end - 1], text[end])) return true;
  }
  return false;
}

function isWithinWord(before: string | undefined, after: string | undefined): boolean {
  const isPart = (character = "") => /[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character);
  return isPart(before) && isPart(after);
}

/** Models copy words, but not line breaks or typographic quotation marks. */
function normalise(text: string): string {
  return text
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
