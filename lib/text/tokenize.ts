// Tokenizer of the keyword index, for documents and queries. A change in its output must raise TOKENIZER_VERSION:
// stored terms and query terms have to come from the same version.

import { limitCombiningMarks } from "./plain-text.ts";
import { rememberTexts } from "./remembered-texts.ts";
import { stem } from "./stem.ts";

/** Part of every stored fingerprint. Raise it whenever `tokenize` returns other terms for the same text. */
export const TOKENIZER_VERSION = 3;

/** Longer terms are hashes, keys or encoded blobs: nobody searches for them, and they bloat the index. */
const MAX_TERM_LENGTH = 64;

// Words joined by the punctuation of identifiers: node-exporter, ERR_CONN_RESET, /var/lib/app, registry.example/pause:3.9.
const COMPOUND = /[\p{L}\p{N}]+(?:[._\-/:@+]+[\p{L}\p{N}]+)*/gu;
// Splits net::ERR_CONN_RESET into names: ERR_CONN_RESET is searched for by itself.
const OUTER_PUNCTUATION = /[/:@+]+/u;
const INNER_PUNCTUATION = /[._-]+/u;
// CrashLoopBackOff -> Crash Loop Back Off; OOMKilled -> OOM Killed; HTTPServer2 -> HTTP Server2.
const CAMEL_PARTS = /\p{Lu}{1,64}(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{N}]+|[\p{Lu}\p{N}]+|[\p{Lo}\p{M}]+/gu;

/** PVCs and OOMs are one word each, not "PV" and "Cs". */
const ACRONYM_PLURAL = /^\p{Lu}{2,}s$/u;

// Only function words: a word that can describe a failure ("down", "off", "not", "no") stays searchable.
const STOP_WORDS = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its " +
    "me my of on or our she should so than that the their them then there these they this those to us was we were what when " +
    "where which while who why will with would you your"
  ).split(" "),
);

/** A variable, a flag or a template placeholder: rare, so its idf would be high, but without meaning. */
const SINGLE_LETTER = /^[a-z]$/;

/**
 * Splits text into lower-case index terms, in order, repeats kept.
 *
 * An identifier yields itself and its parts, so that a query finds `CrashLoopBackOff` by its exact name, by
 * `crashloopbackoff` and by "crash loop". Words are stemmed (stem.ts). Function words, single letters and terms over 64
 * characters are dropped. Linear in the length of the text.
 */
export const tokenize: (text: string) => readonly string[] = rememberTexts(termsOf);

function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [compound] of compoundsOf(text)) {
    const names = compound.split(OUTER_PUNCTUATION);
    if (names.length > 1) push(terms, compound.toLowerCase());
    for (const name of names) pushName(terms, name);
  }
  return terms;
}

/** Returns the terms of a text without whole identifiers: `KubePodCrashLooping` gives those of "Kube pod crash looping". */
export const tokenizeWords: (text: string) => readonly string[] = rememberTexts(wordsOf);

function wordsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [compound] of compoundsOf(text)) {
    for (const name of compound.split(OUTER_PUNCTUATION)) {
      for (const word of name.split(INNER_PUNCTUATION)) for (const part of camelParts(word)) pushWord(terms, part);
    }
  }
  return terms;
}

function compoundsOf(text: string): IterableIterator<RegExpExecArray> {
  return limitCombiningMarks(text).normalize("NFKC").matchAll(COMPOUND);
}

/** Counts the occurrences of each term. */
export function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Counts the occurrences of each term, in the form that the keyword index stores for a document. */
export function countTerms(terms: readonly string[]): Record<string, number> {
  return Object.fromEntries(countsOf(terms));
}

export function camelParts(word: string): readonly string[] {
  if (word === word.toLowerCase() || word === word.toUpperCase()) return [word];
  if (ACRONYM_PLURAL.test(word)) return [word.slice(0, -1)];
  return word.match(CAMEL_PARTS) ?? [word];
}

function pushName(terms: string[], name: string): void {
  const words = name.split(INNER_PUNCTUATION);
  if (words.length > 1) push(terms, name.toLowerCase());
  for (const word of words) {
    const parts = camelParts(word);
    if (parts.length > 1) push(terms, stem(word.toLowerCase()));
    for (const part of parts) pushWord(terms, part);
  }
}

function pushWord(terms: string[], word: string): void {
  const lower = word.toLowerCase();
  if (!STOP_WORDS.has(lower) && !SINGLE_LETTER.test(lower)) push(terms, stem(lower));
}

function push(terms: string[], term: string): void {
  // Two kinds of punctuation in a row leave an empty term between them.
  if (term !== "" && term.length <= MAX_TERM_LENGTH) terms.push(term);
}
