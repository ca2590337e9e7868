// Short fragments of a text around the matches of a query or keyword. Pure functions.

import { tokenize } from "./tokenize.ts";

/** Approximate length of a fragment, in characters. */
const FRAGMENT_LENGTH = 160;
const MAX_FRAGMENTS = 3;
/** Characters shown before a match. */
const LEAD_LENGTH = 40;
/** Matches of the query, and likewise of the keyword, that are considered. Bounds the quadratic search for windows. */
const MAX_MATCHES = 500;
const WORD = /[\p{L}\p{N}]+(?:[._\-/:@+]+[\p{L}\p{N}]+)*/gu;

interface Match {
  readonly start: number;
  readonly end: number;
  /** The matched term, or KEYWORD. */
  readonly term: string;
}

/** Stands for the keyword among the matched terms; no term holds a NUL. */
const KEYWORD = "\0keyword";

/**
 * Returns the fragments with the most distinct matches, in the order of the text; empty without a match. A word
 * matches the query when the tokenizer gives it one of the query's terms. The keyword matches exactly.
 */
export function highlight(
  text: string,
  search: { readonly query?: string | undefined; readonly keyword?: string | undefined },
): string[] {
  const matches = [...keywordMatches(text, search.keyword ?? ""), ...termMatches(text, search.query ?? "")].sort(
    (a, b) => a.start - b.start || b.end - a.end,
  );
  const windows: { readonly start: number; readonly end: number }[] = [];
  while (windows.length < MAX_FRAGMENTS) {
    const free = matches.filter(({ start, end }) =>
      windows.every((window) => end <= window.start || start >= window.end),
    );
    const best = bestWindow(free);
    if (!best) break;
    windows.push(best);
  }
  return windows.sort((a, b) => a.start - b.start).map((window) => fragment(text, window));
}

/** Counts the occurrences of a keyword, without overlap. */
export function countOccurrences(text: string, keyword: string): number {
  return keyword === "" ? 0 : text.split(keyword).length - 1;
}

/** Share of the query's terms that occur in the text, 0 to 1; 0 for a query without terms. */
export function termShare(text: string, query: string): number {
  const queryTerms = new Set(tokenize(query));
  if (queryTerms.size === 0) return 0;
  const textTerms = new Set(tokenize(text));
  return [...queryTerms].filter((term) => textTerms.has(term)).length / queryTerms.size;
}

function keywordMatches(text: string, keyword: string): Match[] {
  const matches: Match[] = [];
  if (keyword === "") return matches;
  for (let at = text.indexOf(keyword); at !== -1 && matches.length < MAX_MATCHES; ) {
    matches.push({ start: at, end: at + keyword.length, term: KEYWORD });
    at = text.indexOf(keyword, at + keyword.length);
  }
  return matches;
}

function termMatches(text: string, query: string): Match[] {
  const queryTerms = new Set(tokenize(query));
  const matches: Match[] = [];
  if (queryTerms.size === 0) return matches;
  // Caches the result for each word: words repeat, and tokenizing dominates the time.
  const termByWord = new Map<string, string | undefined>();
  for (const word of text.matchAll(WORD)) {
    if (!termByWord.has(word[0]))
      termByWord.set(
        word[0],
        tokenize(word[0]).find((term) => queryTerms.has(term)),
      );
    const term = termByWord.get(word[0]);
    if (term === undefined) continue;
    matches.push({ start: word.index, end: word.index + word[0].length, term });
    if (matches.length === MAX_MATCHES) break;
  }
  return matches;
}

/** The window that starts at a match and holds the most distinct terms; the first among equals. */
function bestWindow(matches: readonly Match[]): { start: number; end: number } | undefined {
  let best: { start: number; end: number } | undefined;
  let maxTerms = 0;
  matches.forEach((first, i) => {
    const terms = new Set<string>();
    let end = first.end;
    for (const match of matches.slice(i)) {
      if (match.end - first.start > FRAGMENT_LENGTH - LEAD_LENGTH && terms.size > 0) break;
      terms.add(match.term);
      end = Math.max(end, match.end);
    }
    if (terms.size <= maxTerms) return;
    maxTerms = terms.size;
    best = { start: first.start, end };
  });
  return best;
}

/**
 * Returns the text of a window with its surroundings, up to LEAD_LENGTH before it and FRAGMENT_LENGTH in all. Cuts at
 * whitespace only and marks each cut with an ellipsis.
 */
function fragment(text: string, window: { readonly start: number; readonly end: number }): string {
  const lead = Math.max(0, window.start - LEAD_LENGTH);
  const firstSpace = text.slice(lead, window.start).search(/\s/);
  const from = lead === 0 ? 0 : firstSpace === -1 ? window.start : lead + firstSpace;
  const maxEnd = Math.max(window.end, from + FRAGMENT_LENGTH);
  const lastSpace = text.slice(window.end, maxEnd).search(/\s\S*$/);
  const to = maxEnd >= text.length ? text.length : lastSpace === -1 ? window.end : window.end + lastSpace;
  const words = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "… " : ""}${words}${to < text.length ? " …" : ""}`;
}
