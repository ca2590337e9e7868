// Templates of error lines: equal for lines that differ in names, numbers, times and ids only. Pure functions.

import { withoutName } from "../text/without-name.ts";
import { ERROR_CODE } from "./failure-words.ts";
import { timeOf, withoutUniqueParts } from "./log-time.ts";
import { messageOf } from "./message-of.ts";
import { messageOfPairs } from "./structured-line.ts";

/** Stands for a variable part. */
const VARIABLE = "*";
const MAX_LENGTH = 600;

const URL = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]]{1,400}/gi;
const QUOTED = /(["'`])[^"'`\s]{1,200}\1/g;
/** `checkout-7c9f8d6b5-x2x4z`, `10.0.4.91:5432`, `0x7f3a`, `v1.4.2`. */
const HAS_DIGIT = /\d/;
/** Numbers that name a failure behind these words. */
const CODE_WORDS =
  /(?:code|status|errno|error|error data|(?:^| )(?:exit|exited|err|http|sqlstate|signal|sig|rc|http\/\d(?:\.\d)?))$/;
const CODE_NUMBER = /^(?=.*\d)(?:\d{1,5}|0x[\da-f]{1,8}|[\da-f]{3})$/i;
/** `MSB3021:`, `ISPN000541:`, 0x80070005, 0xC000006D: numbers of messages, and results of Windows. */
const MESSAGE_NUMBER = /^(?:[A-Z]{2,8}-?\d{3,6}[A-Z]?:|0x(?:80|[cC]0)[\dA-Fa-f]{6}\W*)$/;
const IP = /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$/;
const PATH = /^[.~]?\/[^\s]*$|^[a-z0-9_.-]+(?:\/[a-z0-9_.@:-]+)+$/i;
const HOST = /^(?:[a-z0-9_-]+\.){2,}[a-z0-9_-]+(?::\d+)?$/;
/** The level and the logger of a line: the rest is the message. */
const LEVEL =
  /^(?:\[?(?:trace|debug|info|notice|warn|warning|error|err|fatal|crit|critical|severe|panic|emerg)\]?[:\s](?!\s*(?:\d{1,5}(?: \(|[:,.]|$)|0x))\s*)/i;

/**
 * The line in lower case with variable parts as `*`. Numbers beside words such as "code" or "status" stay: exit
 * code 137 is not exit code 1.
 * @param names of the affected objects; they are variable parts too
 */
export function templateOf(line: string, names: readonly string[]): string {
  const message = (messageOfPairs(line) ?? messageOf(line)).slice(0, MAX_LENGTH).replace(timeOf(line) ?? "", " ");
  const nameless = names.reduce(withoutName, withoutUniqueParts(message));
  const masked = nameless.replace(LEVEL, "").replace(URL, ` ${VARIABLE} `).replace(QUOTED, ` ${VARIABLE} `);
  const kept: string[] = [];
  for (const part of masked.split(/[\s=,;|(){}<>[\]"'`]+/)) {
    const word = part.replace(/^[:.*!?-]+|(?<![:.!?-])[:.!?-]+$/g, "");
    if (word === "") continue;
    const isCode = MESSAGE_NUMBER.test(part) || (CODE_NUMBER.test(word) && CODE_WORDS.test(kept.slice(-2).join(" ")));
    const template = !isCode && isVariable(word) ? VARIABLE : word.toLowerCase();
    if (template !== VARIABLE || kept.at(-1) !== VARIABLE) kept.push(template);
  }
  return kept.join(" ");
}

function isVariable(word: string): boolean {
  if (IP.test(word) || PATH.test(word) || HOST.test(word)) return true;
  return HAS_DIGIT.test(word) && !ERROR_CODE.test(word) && !/^[a-z]+:\d{3}$/i.test(word);
}

/** The words of a template that are codes: nothing else in it has a digit. */
export function codesOfTemplate(template: string): string[] {
  return template.split(" ").filter((word) => HAS_DIGIT.test(word));
}

/** The words of a template without its variable parts. */
export function wordsOfTemplate(template: string): string[] {
  return template.split(" ").filter((word) => word !== VARIABLE && /\p{L}|\d/u.test(word));
}
