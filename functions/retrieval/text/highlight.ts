// Owns which parts of a found text are shown: short fragments around what was asked for. Pure.

import { tokenize } from "./tokenize.ts";

/** Characters of a fragment, about. */
const FRAGMENT_LENGTH = 160;
const MAX_FRAGMENTS = 3;
/** Characters shown before a match. */
const LEAD_LENGTH = 40;
/** Matches that are looked at; a text that holds more is all about it. */
const MAX_MATCHES = 500;
const WORD = /[\p{L}\p{N}]+(?:[._\-/:@+]+[\p{L}\p{N}]+)*/gu;

interface Match {
  readonly start: number;
  readonly end: number;
  /** What was found there; equal for two finds of one term. */
  readonly what: string;
}

/**
 * Fragments of the text, in its order, that hold most of what was asked: words of the query in any form that the
 * keyword index takes for the same, and the keyword letter by letter. Empty where the text holds none of it.
 */
export function highlight(
  text: string,
  asked: { readonly query?: string | undefined; readonly keyword?: string | undefined },
): string[] {
  const matches = [...keywordMatches(text, asked.keyword ?? ""), ...termMatches(text, asked.query ?? "")].sort(
    (a, b) => a.start - b.start || b.end - a.end,
  );
  const windows: { readonly start: number; readonly end: number }[] = [];
  while (windows.length < MAX_FRAGMENTS) {
    const free = matches.filter(({ start, end }) => windows.every((each) => end <= each.start || start >= each.end));
    const best = bestWindow(free);
    if (!best) break;
    windows.push(best);
  }
  return windows.sort((a, b) => a.start - b.start).map((window) => fragment(text, window));
}

/** How often a text holds a keyword, without overlap. */
export function countOccurrences(text: string, keyword: string): number {
  return keyword === "" ? 0 : text.split(keyword).length - 1;
}

/** The share of the query's terms that the text holds, 0 to 1; 0 for a query without terms. */
export function termShare(text: string, query: string): number {
  const asked = new Set(tokenize(query));
  if (asked.size === 0) return 0;
  const held = new Set(tokenize(text));
  return [...asked].filter((term) => held.has(term)).length / asked.size;
}

function keywordMatches(text: string, keyword: string): Match[] {
  const matches: Match[] = [];
  if (keyword === "") return matches;
  for (let at = text.indexOf(keyword); at !== -1 && matches.length < MAX_MATCHES; ) {
    matches.push({ start: at, end: at + keyword.length, what: "\0keyword" });
    at = text.indexOf(keyword, at + keyword.length);
  }
  return matches;
}

function termMatches(text: string, query: string): Match[] {
  const asked = new Set(tokenize(query));
  const matches: Match[] = [];
  if (asked.size === 0) return matches;
  // A text repeats its words, and taking one apart is what costs time here.
  const known = new Map<string, string | undefined>();
  for (const word of text.matchAll(WORD)) {
    if (!known.has(word[0]))
      known.set(
        word[0],
        tokenize(word[0]).find((term) => asked.has(term)),
      );
    const what = known.get(word[0]);
    if (what === undefined) continue;
    matches.push({ start: word.index, end: word.index + word[0].length, what });
    if (matches.length === MAX_MATCHES) break;
  }
  return matches;
}

/** The stretch from a match on that holds the most different finds; the first of equals. */
function bestWindow(matches: readonly Match[]): { start: number; end: number } | undefined {
  let best: { start: number; end: number } | undefined;
  let most = 0;
  matches.forEach((first, i) => {
    const found = new Set<string>();
    let end = first.end;
    for (const match of matches.slice(i)) {
      if (match.end - first.start > FRAGMENT_LENGTH - LEAD_LENGTH && found.size > 0) break;
      found.add(match.what);
      end = Math.max(end, match.end);
    }
    if (found.size <= most) return;
    most = found.size;
    best = { start: first.start, end };
  });
  return best;
}

/** From a blank to a blank, so that no word is cut. */
function fragment(text: string, window: { readonly start: number; readonly end: number }): string {
  const lead = Math.max(0, window.start - LEAD_LENGTH);
  const blank = text.slice(lead, window.start).search(/\s/);
  const from = lead === 0 ? 0 : blank === -1 ? window.start : lead + blank;
  const most = Math.max(window.end, from + FRAGMENT_LENGTH);
  const tail = text.slice(window.end, most).search(/\s\S*$/);
  const to = most >= text.length ? text.length : tail === -1 ? window.end : window.end + tail;
  const words = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${from > 0 ? "… " : ""}${words}${to < text.length ? " …" : ""}`;
}
