// Pairs of texts that mean the same, drawn anew in each epoch: a heading and its text, a sentence and the rest, an error
// message or command and its section.

import type { Section } from "./corpus.ts";
import type { Random } from "./random.ts";
import type { TypeIndex } from "./vocabulary.ts";

/** A section as types of words. */
export interface SectionWords {
  readonly source: string;
  readonly headings: Uint32Array;
  /** The innermost heading alone. */
  readonly heading: Uint32Array;
  readonly sentences: readonly Uint32Array[];
  readonly code: readonly Uint32Array[];
}

export interface Pair {
  readonly query: Uint32Array;
  readonly text: Uint32Array;
}

/** Words of each side: a chunk of a runbook has about as many. */
const MAX_WORDS = 220;
const MAX_SENTENCE = 60;
/** Shorter texts say too little. */
const MIN_QUERY = 2;
const MIN_TEXT = 6;

export function readSection(types: TypeIndex, section: Section): SectionWords {
  const read = (text: string, limit: number) => types.read(text, { limit, counts: false });
  types.read(`${section.headings.join("\n")}\n${section.text}\n${section.code}`, { limit: 2_000 });
  return {
    source: section.source,
    headings: read(section.headings.join("\n"), MAX_SENTENCE),
    heading: read(section.headings.at(-1) ?? "", MAX_SENTENCE),
    sentences: section.text
      .split(/(?<=[.!?:])\s+|\n+/)
      .map((each) => read(each, MAX_SENTENCE))
      .filter(({ length }) => length > 0),
    code: section.code
      .split("\n")
      .map((each) => read(each, MAX_SENTENCE))
      .filter(({ length }) => length >= MIN_QUERY),
  };
}

/** A pair of a section; undefined if it says too little. */
export function drawPair(section: SectionWords, random: Random): Pair | undefined {
  const { headings, heading, sentences, code } = section;
  const kind = random.next();
  const all = concat([headings, ...sentences, ...code]);
  if (kind < 0.3 && headings.length >= MIN_QUERY) {
    const query = random.next() < 0.5 ? heading : headings;
    return pairOf(query.length >= MIN_QUERY ? query : headings, concat([...sentences, ...code]));
  }
  if (kind < 0.5 && code.length > 0) {
    const i = random.below(code.length);
    const rest = [headings, ...sentences, ...(random.next() < 0.3 ? code : code.filter((_, j) => j !== i))];
    return pairOf(code[i] ?? heading, concat(rest));
  }
  if (sentences.length < 2) return pairOf(headings, all);
  const length = 1 + random.below(Math.min(3, sentences.length - 1));
  const start = random.below(sentences.length - length + 1);
  const query = concat(sentences.slice(start, start + length));
  // Some queries stay in their text: the same words are evidence, too.
  if (random.next() < 0.1) return pairOf(query, all);
  return pairOf(query, concat([headings, ...sentences.slice(0, start), ...sentences.slice(start + length), ...code]));
}

function pairOf(query: Uint32Array, text: Uint32Array): Pair | undefined {
  if (query.length < MIN_QUERY || text.length < MIN_TEXT) return undefined;
  return { query: query.subarray(0, MAX_WORDS), text: text.subarray(0, MAX_WORDS) };
}

function concat(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
