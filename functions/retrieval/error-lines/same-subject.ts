// Whether two lines are about the same thing: a failure and its end.

import { FAILURE_WORDS } from "./failure-words.ts";

const MAX_READ_LENGTH = 400;
/** Share of the shorter line's words that both lines have. */
const SHARED = 0.5;
const MIN_SHARED = 2;
/** Characters of a word that are compared: "connect" and "connected" are the same. */
const STEM_LENGTH = 6;

/** Words of every log: levels, fields and the vocabulary of failures and their ends. */
const COMMON = new Set(
  "info warn warning error debug level time msg message the and for with from now was has have been are its this that not after again back until failed failing failure fail succeeded success successful successfully healthy unhealthy down normal recovered recovery resolved restored rolled rollback complete completed cleared caught alert alerts alarm incident issue problem status state health service system ready available running".split(
    " ",
  ),
);
const TIMES = /\d{4}[-/]\d{2}[-/]\d{2}[T ]?|\d{2}:\d{2}:\d{2}(?:[.,]\d+)?Z?/g;
const KEYS = /(?:"|\b)\w+"(?=:)|\b\w+(?==)/g;
/** A name with a number: "node-3", "worker3". */
const NUMBERED_NAME = /\b([a-z][a-z-]{2,40}?)-?(\d{1,4})\b(?!:)/gi;

/** A name in a sentence: "alert HighLatency", "on gateway", "shop-web". */
const NAME =
  /\b(?:alert|alarm|service|deployment|pod|host|node|queue|broker|on|for|of) "?((?!(?:the|all|its|this|a|an|to|is|was|has|and|revision|version|\w+ed)\b)[A-Za-z][\w-]{2,60})|\b([a-z]+-[a-z][a-z-]+)\b/g;

/**
 * Whether a line about an end is about a failure: they share words, and no numbered name differs.
 * @param isExplicit whether it says that a failure is over; a single shared word may be enough then
 */
export function isSameSubject(end: string, failure: string, isExplicit: boolean): boolean {
  const [ending, failing] = [wordsOf(end), wordsOf(failure)];
  const shared = [...failing].filter((word) => ending.has(word)).length;
  const least = Math.min(failing.size, ending.size);
  if (shared < (isExplicit ? Math.min(MIN_SHARED, least) : MIN_SHARED) || shared === 0 || shared / least < SHARED)
    return false;
  return !namesOther(end, failure);
}

/** Whether a sentence about an end names nothing, or something that the context names. */
export function isAbout(end: string, context: string): boolean {
  const names = [...messageIn(end).matchAll(NAME)].map(([, name, hyphenated]) =>
    (name ?? hyphenated ?? "").toLowerCase(),
  );
  const other = names.length > 0 && !names.some((name) => context.toLowerCase().includes(name));
  return !other && !namesOther(end, context);
}

/** The words of the message, for the comparison of lines that a program writes again and again. */
export function messageKey(text: string): string {
  return messageIn(text).replace(/\d+/g, "").replace(/\s+/g, " ").trim();
}

/** Whether a line names "node-3" where the other names only "node-2". */
function namesOther(end: string, failure: string): boolean {
  const failing = namesOf(failure);
  for (const [stem, numbers] of namesOf(end)) {
    const others = failing.get(stem);
    if (others && ![...numbers].some((number) => others.has(number))) return true;
  }
  return false;
}

function namesOf(text: string): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const [, stem = "", number = ""] of text
    .slice(0, 4 * MAX_READ_LENGTH)
    .replace(TIMES, "")
    .matchAll(NUMBERED_NAME)) {
    const key = stem.toLowerCase();
    names.set(key, (names.get(key) ?? new Set()).add(number));
  }
  return names;
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (
      messageIn(text)
        .toLowerCase()
        .match(/[a-z]{3,}/g) ?? []
    )
      .filter((word) => !COMMON.has(word) && !FAILURE_WORDS.has(word))
      .map((word) => word.slice(0, STEM_LENGTH)),
  );
}

/** A line without its time, its level, its thread and the name of its logger. */
function messageIn(text: string): string {
  const read = text.slice(0, MAX_READ_LENGTH).replace(TIMES, "").replace(KEYS, "");
  return read
    .replace(/\[[^\]]{0,60}\]/g, "")
    .replace(/^\W{0,8}(?:INFO|DEBUG|WARN(?:ING)?|ERROR|FATAL|NOTICE|TRACE)\b/, "")
    .replace(/\b[\w$]{1,60}(?:\.[\w$]{1,60}){1,8}\s{0,40}(?=[-:] )/, "");
}
