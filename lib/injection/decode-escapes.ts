// Escapes and encodings in which an order can be written: each is decoded for the search alone. Pure functions, linear.

import { mayBeBase64Text } from "../text/base64-text.ts";

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ensp: " ",
  emsp: " ",
  thinsp: " ",
  tab: " ",
  newline: " ",
  lowbar: "_",
  lbrack: "[",
  rbrack: "]",
  vert: "|",
  colon: ":",
  shy: "",
  zwj: "",
  zwnj: "",
};
const ESCAPE =
  /&#(?:x([\da-f]{1,6})|(\d{1,7}));?|&([a-z]{2,7});|%([\da-f]{2})|\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\([0-3]?[0-7]{2})(?!\d)|=([\dA-F]{2})/gi;
/** An escape of an escape, as in `%2569`. */
const MAX_ROUNDS = 3;

/** Decodes entities, percent, `\u`, `\x`, octal and quoted-printable escapes, also of each other. */
export function decodeEscapes(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = decoded.replace(ESCAPE, (whole, hex, decimal, name, percent, braced, four, two, octal, quoted) => {
      if (name !== undefined) return NAMED_ENTITIES[String(name).toLowerCase()] ?? whole;
      const digits = hex ?? percent ?? braced ?? four ?? two ?? quoted;
      if (digits !== undefined) return character(Number.parseInt(digits, 16), whole);
      return decimal !== undefined ? character(Number(decimal), whole) : character(Number.parseInt(octal, 8), whole);
    });
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

function character(point: number, whole: string): string {
  if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return whole;
  return String.fromCodePoint(point);
}

/** Characters of an encoded order, and how many of a longer one are read. */
const MIN_ENCODED = 20;
const MAX_ENCODED = 4_000;
/** Encoded texts of one line that are read. */
const MAX_TEXTS = 20;
const BASE64 = new RegExp(`[A-Za-z0-9+/_-]{${MIN_ENCODED},}`, "g");
const HEX = /(?:(?:0x)?[\da-f]{2}[ :,]{0,2}){12,}/gi;
const DECIMAL = /(?:\b\d{2,3}[ ,]{1,2}){11,}\d{2,3}\b/g;
const PRINTABLE = /^[\x20-\x7e\s]{12,}$/;
/** `instructions`, `prompt`, `ignore`, `disregard`, `system` by rot13, and backwards. */
const ROT13_WORDS = /vafgehpgvba|cebzcg|vtaber|qvfertneq|nffvfgnag/i;
const REVERSED_WORDS = /noitcurtsni|tpmorp|erongi|drager?sid|tnatsissa/i;

/** A line without one of these reads one way only: a letter beyond ASCII, or the sign of an escape. */
export const MAY_HIDE_TEXT =
  /[^\x20-\x7e\t]|&(?:#|[a-z]{2,7};)|%[\da-f]{2}|\\[nrtxu\d]|=20(?![\d.,])|(?:=[\da-f]{2}){2}/i;

/** The texts that base64, hex, rot13 or backward writing hide in a line. */
export function encodedTexts(line: string, hasNumbersOrTokens: boolean): string[] {
  const texts: string[] = [];
  if (ROT13_WORDS.test(line)) texts.push(rot13(line));
  if (REVERSED_WORDS.test(line)) texts.push([...line].reverse().join(""));
  if (!hasNumbersOrTokens) return texts;
  for (const [token] of firstMatches(line, BASE64)) {
    const text = readBase64(token.slice(0, MAX_ENCODED));
    if (text !== null) texts.push(text);
  }
  for (const [token] of firstMatches(line, HEX)) {
    const digits = token.slice(0, MAX_ENCODED).replace(/0x|[^\da-f]/gi, "");
    const text = digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
    if (PRINTABLE.test(text)) texts.push(text);
  }
  for (const [row] of firstMatches(line, DECIMAL)) {
    const text = String.fromCharCode(...row.slice(0, MAX_ENCODED).split(/[ ,]+/).map(Number));
    if (PRINTABLE.test(text)) texts.push(text);
  }
  return texts;
}

function* firstMatches(line: string, pattern: RegExp): Generator<RegExpExecArray> {
  let count = 0;
  for (const match of line.matchAll(pattern)) {
    if (count === MAX_TEXTS) return;
    count += 1;
    yield match;
  }
}

const HEX_TEXT = /^(?:0x)?(?:[2-7][\da-f]){8}/i;
const HEX_TEXT_LENGTH = 18;

/** Whether a token may be base64 or hex of a text. @param start of the token */
export function mayBeEncoded(text: string, start: number): boolean {
  return mayBeBase64Text(text, start) || HEX_TEXT.test(text.slice(start, start + HEX_TEXT_LENGTH));
}

/** Null unless the token is base64 of printable ASCII. */
function readBase64(token: string): string | null {
  if (!mayBeBase64Text(token, 0)) return null;
  const standard = token.replaceAll("-", "+").replaceAll("_", "/");
  try {
    const text = atob(standard.slice(0, standard.length - (standard.length % 4 === 1 ? 1 : 0)));
    const plain = text.replaceAll("\0", ""); // UTF-16
    return PRINTABLE.test(plain) ? plain : null;
  } catch {
    return null;
  }
}

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
}
