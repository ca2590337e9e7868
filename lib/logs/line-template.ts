// Templates of error lines: equal for lines that differ in names, numbers, times and ids only. Pure functions.

import { withoutName } from "../text/without-name.ts";
import { ERROR_CODE } from "./failure-words.ts";
import { timeOf, withoutUniqueParts } from "./log-time.ts";
import { messageOf } from "./message-of.ts";

/** Stands for a variable part. */
const VARIABLE = "*";
const MAX_LENGTH = 600;

const URL = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]]{1,400}/gi;
const QUOTED = /(["'`])[^"'`\s]{1,200}\1/g;
/** `checkout-7c9f8d6b5-x2x4z`, `10.0.4.91:5432`, `0x7f3a`, `v1.4.2`. */
const HAS_DIGIT = /\d/;
/** Numbers that name a failure beside these words. */
const CODE_WORD =
  /^(?:code|status|statuscode|exit|exited|exitcode|errno|error|err|http|sqlstate|signal|sig|rc|http\/\d(?:\.\d)?)$/;
const CODE_NUMBER = /^\d{1,5}$/;
const IP = /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$/;
const PATH = /^[.~]?\/[^\s]*$|^[a-z0-9_.-]+(?:\/[a-z0-9_.@:-]+)+$/i;
const HOST = /^(?:[a-z0-9_-]+\.){2,}[a-z0-9_-]+(?::\d+)?$/;
/** The level and the logger of a line: the rest is the message. */
const LEVEL =
  /^(?:\[?(?:trace|debug|info|notice|warn|warning|error|err|fatal|crit|critical|severe|panic|emerg)\]?[:\s]\s*)/i;

/**
 * The line in lower case with variable parts as `*`. Numbers beside words such as "code" or "status" stay: exit
 * code 137 is not exit code 1.
 * @param names of the affected objects; they are variable parts too
 */
export function templateOf(line: string, names: readonly string[]): string {
  const message = messageOf(line.slice(0, MAX_LENGTH)).replace(timeOf(line) ?? "", " ");
  const nameless = names.reduce(withoutName, withoutUniqueParts(message));
  const masked = nameless.replace(LEVEL, "").replace(URL, ` ${VARIABLE} `).replace(QUOTED, ` ${VARIABLE} `);
  const words = masked
    .split(/[\s=,;|(){}<>[\]"'`]+/)
    .map((word) => word.replace(/^[:.*!?-]+|(?<![:.!?-])[:.!?-]+$/g, ""));
  const kept: string[] = [];
  let previous = "";
  for (const word of words) {
    if (word === "") continue;
    const lower = word.toLowerCase();
    const template = isVariable(word, previous) ? VARIABLE : lower;
    previous = lower;
    if (template !== VARIABLE || kept.at(-1) !== VARIABLE) kept.push(template);
  }
  return kept.join(" ");
}

function isVariable(word: string, previous: string): boolean {
  if (CODE_NUMBER.test(word)) return !CODE_WORD.test(previous);
  if (IP.test(word) || PATH.test(word) || HOST.test(word)) return true;
  return HAS_DIGIT.test(word) && !ERROR_CODE.test(word) && !/^[a-z]+:\d{3}$/i.test(word);
}

/** The words of a template without its variable parts. */
export function wordsOfTemplate(template: string): string[] {
  return template.split(" ").filter((word) => word !== VARIABLE && /\p{L}|\d/u.test(word));
}
