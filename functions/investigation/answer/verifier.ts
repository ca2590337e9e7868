// Owns which words of a model may be shown: what it cites has to have been recalled, what it quotes has to have been
// reported, what reads like an instruction goes, and so do links that no runbook knows. Pure. The rules that put a whole
// answer together from this are in verify-draft.ts; answer-stream.ts holds a stream to them.

import { hostsIn, type LinkPolicy, urlsIn } from "../../guardrails/links/remove-links.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { CitableText } from "../evidence/citable-texts.ts";

export interface Verifier {
  readonly links: LinkPolicy;
  /** The ids of those names that were shown, each once; made-up names are left out. */
  cite(names: readonly string[]): string[];
  /** Whether these words are in the report or its logs. */
  isReported(quote: string): boolean;
  isPastIncident(id: string): boolean;
  /** Whether a text can carry a cause: any but a log's, and an incident's of which it is known what fixed it. */
  carries(id: string): boolean;
}

/** Places at which a quotation is looked for; one that is found that often within words says nothing. */
const MAX_PLACES = 200;
/** Characters of a word that says something alone, of one that does beside another, and of a code (137, OOM). */
const TELLING_LENGTH = 6;
const TELLING_BESIDE = 4;
const TELLING_CODE = 3;
const STOP_WORDS = new Set(
  "with from this that have been were when then into over there which after before".split(" "),
);
/** Scripts that are written without spaces: each character is about a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Our own words in the place of what was removed. */
const MARKER = /\[(?:redacted_[a-z_]+|line removed[^\]]*)\]/gi;
const BETWEEN = "\u001e";

export function createVerifier(incident: Incident, texts: readonly CitableText[]): Verifier {
  const ids = new Map(
    texts.flatMap(({ name, document }) => [name, document.id].map((key) => [key.toLowerCase(), document.id])),
  );
  const past = new Set(texts.flatMap(({ kind, document }) => (kind === "incident" ? [document.id] : [])));
  const asked = [incident.title, incident.question ?? "", incident.target ?? ""].join("\n");
  const labels = Object.entries(incident.labels).map(([key, value]) => `${key}=${value} ${value}`);
  const { title, question, target, logs } = incident;
  // No quotation runs from one into another.
  const reported = [title, question ?? "", target ?? "", ...labels, logs ?? ""].map(normalise).join(BETWEEN);
  const fixed = new Set(
    texts.flatMap((text) =>
      text.kind === "incident" && text.observation.resolution !== null ? [text.document.id] : [],
    ),
  );
  const judged = new Map<string, boolean>();
  const others = texts.flatMap(({ kind, document }) => (kind === "runbook" ? [document] : []));
  // What anybody may note down vouches for no link.
  const runbooks = others.flatMap((document) => (sourceKindOf(document) === "runbook" ? [document.body] : []));
  const logIds = new Set(others.flatMap((document) => (sourceKindOf(document) === "log" ? [document.id] : [])));
  return {
    links: { hosts: new Set(runbooks.flatMap(hostsIn)), urls: new Set(urlsIn(asked)) },
    cite: (names) => [...new Set(names.flatMap((name) => ids.get(bareName(name)) ?? []))],
    isReported(quote) {
      // A stream asks again and again, and a log may be long.
      const known = judged.get(quote);
      if (known !== undefined) return known;
      const words = normalise(quote);
      const isThere = isSpecific(quote) && holdsWords(reported, words);
      judged.set(quote, isThere);
      return isThere;
    },
    isPastIncident: (id) => past.has(id),
    carries: (id) => !logIds.has(id) && (!past.has(id) || fixed.has(id)),
  };
}

/** "[R2]" and "r2" are R2. */
export function bareName(name: string): string {
  return name.replace(/[[\]\s]/g, "").toLowerCase();
}

/** Two words of which one says something, or one that is no everyday word: "api" stands in any report. */
function isSpecific(quote: string): boolean {
  const words = quote.replace(MARKER, " ").match(/[\p{L}\p{N}][^\s]*/gu) ?? [];
  const length = (word: string) => (UNSPACED.test(word) ? word.length * TELLING_LENGTH : word.length);
  const isCode = (word: string) => /\p{N}|^\P{Ll}+$/u.test(word) && word.length >= TELLING_CODE;
  const needed = words.length > 1 ? TELLING_BESIDE : TELLING_LENGTH;
  return words.some((word) => isCode(word) || (length(word) >= needed && !STOP_WORDS.has(word.toLowerCase())));
}

/** Whether the words stand there as words: "code 1" is not in "code 137". */
function holdsWords(text: string, words: string): boolean {
  let at = text.indexOf(words);
  for (let place = 0; at !== -1 && place < MAX_PLACES; place++, at = text.indexOf(words, at + 1)) {
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

/** Models copy words, not line breaks or the shape of quotation marks. */
function normalise(text: string): string {
  return text
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
