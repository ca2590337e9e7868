// One pass over the characters of a text: its compact form without blanks and punctuation, in which "i.g.n.o.r.e" and
// "1gn0r3" are words, and which lines need more than one reading. Linear, without a pattern: most lines of a log end here.

import { latinSkeleton } from "./confusables.ts";
import { decodeEscapes } from "./decode-escapes.ts";
import { foldCharacters } from "./fold-text.ts";

/** Properties of a line, as bits. */
export const LINE = { beyondAscii: 1, escaped: 2, longToken: 4 } as const;

export interface LineScan {
  /** Bits of `LINE`, for each line. */
  readonly flags: Uint8Array;
  /** Letters of all lines in lower case, digits and signs as the letters they look like, and `l` as `i`. */
  readonly compact: string;
  /** Where each line begins in `compact`. */
  readonly starts: Uint32Array;
}

const LEET: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "2": "2", "3": "e", "4": "a", "5": "s", "6": "6", "7": "t", "8": "b", "9": "g" },
  ...{ "@": "a", $: "s", "!": "i", "|": "i", l: "i" },
};
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789@$!|";
/** The compact letter of each character; 0 for one that is dropped. */
const COMPACT = new Uint8Array(128);
/** A letter, a character of base64, what an escape begins with, a hex digit, and any character beyond printable ASCII. */
const [LETTER, BASE64, ESCAPE, HEX, BEYOND] = [1, 2, 4, 8, 16];
const CLASSES = new Uint8Array(128);
for (const character of ALPHABET) {
  const isLetter = character >= "a" && character <= "z";
  for (const form of [character, character.toUpperCase()]) {
    COMPACT[form.charCodeAt(0)] = (LEET[character] ?? character).charCodeAt(0);
    CLASSES[form.charCodeAt(0)] =
      (isLetter ? LETTER : 0) | (/[a-z\d]/.test(character) ? BASE64 : 0) | (/[a-f\d]/.test(character) ? HEX : 0);
  }
}
for (const sign of "+/_-") CLASSES[sign.charCodeAt(0)] = BASE64;
for (const sign of "&%\\=") CLASSES[sign.charCodeAt(0)] = ESCAPE;

const ESCAPED = /&(?:#|[a-z]{2,7};)|%[\da-f]{2}|\\[nrtxu\d]|=20|(?:=[\dA-F]{2}){2}/i;
const BEYOND_ASCII = /[^\x20-\x7e\t]/;
/** Characters of an encoded order, and bytes of one in hex with blanks. */
const MIN_TOKEN = 20;
const MIN_PAIRS = 8;

/** @param lines of a text, without their ends */
export function scanLines(lines: readonly string[]): LineScan {
  const flags = new Uint8Array(lines.length);
  const starts = new Uint32Array(lines.length);
  const decoded = lines.map((line, i) => {
    const scanned = flagsOf(line);
    flags[i] = scanned;
    return (scanned & (LINE.beyondAscii | LINE.escaped)) === 0 ? line : plainText(line);
  });
  const letters = new Uint8Array(decoded.reduce((sum, line) => sum + line.length, 0));
  let length = 0;
  decoded.forEach((line, i) => {
    starts[i] = length;
    length = appendCompact(line, letters, length);
  });
  return { flags, starts, compact: new TextDecoder().decode(letters.subarray(0, length)) };
}

function flagsOf(line: string): number {
  let [classes, token, longest, digits, pairs, mostPairs] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    const kind = code < 128 ? (CLASSES[code] ?? 0) : 0;
    if (code > 126 || (code < 32 && code !== 9)) classes |= BEYOND;
    classes |= kind;
    token = kind & BASE64 ? token + 1 : 0;
    if (token > longest) longest = token;
    if (kind & HEX) digits += 1;
    else {
      pairs = digits === 2 && (code === 32 || code === 44 || code === 58) ? pairs + 1 : 0;
      digits = 0;
      if (pairs > mostPairs) mostPairs = pairs;
    }
  }
  const isBeyond = (classes & BEYOND) !== 0;
  const isEscaped = (classes & ESCAPE) !== 0 && ESCAPED.test(line);
  const hasToken = longest >= MIN_TOKEN || mostPairs >= MIN_PAIRS;
  return (isBeyond ? LINE.beyondAscii : 0) | (isEscaped ? LINE.escaped : 0) | (hasToken ? LINE.longToken : 0);
}

function plainText(line: string): string {
  return decodeEscapes(BEYOND_ASCII.test(line) ? latinSkeleton(foldCharacters(line)) : line);
}

/** Words of digits and signs alone are dropped. @returns the new length */
function appendCompact(line: string, letters: Uint8Array, length: number): number {
  let end = length;
  let word = length;
  let hasLetter = false;
  for (let i = 0; i <= line.length; i++) {
    const code = i < line.length ? line.charCodeAt(i) : 0;
    const letter = code < 128 ? (COMPACT[code] ?? 0) : 0;
    if (letter !== 0) {
      letters[end++] = letter;
      hasLetter ||= ((CLASSES[code] ?? 0) & LETTER) !== 0;
      continue;
    }
    if (!hasLetter) end = word;
    word = end;
    hasLetter = false;
  }
  return end;
}
