// Text folding for the search for injections: spellings that a model reads alike become equal.

import { limitCombiningMarks } from "../text/plain-text.ts";

/** Invisible copies of ASCII, in which whole sentences can be written. */
const TAG_CHARACTERS = /[\u{E0020}-\u{E007E}]+/gu;
const TAG_OFFSET = 0xe0000;
// Format characters, and the fillers of Hangul. Other invisible characters are marks.
const INVISIBLE = /[\p{Cf}\u115f\u1160]/gu;
const MARKS = /\p{Mn}/gu;
const ESCAPED_BLANK = /\\[nrt]/g;
// Emphasis within a phrase: ignore **all** _previous_ instructions.
const EMPHASIS =
  /[*~`]{1,3}(?=\p{L})|(?<=\p{L})[*~`]{1,3}|(?<![\p{L}\p{N}_])_{1,3}(?=\p{L})|(?<=\p{L})_{1,3}(?![\p{L}\p{N}_])/gu;
const BLANKS = /[\s\u00a0]+/g;
const CURLY_APOSTROPHE = /[‘’ʼ]/g;

/** Variation selectors in a row hold bytes; a single one only selects a form of its letter. */
const SELECTORS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;

function readSelectors(selectors: string): string {
  const bytes = [...selectors].map((selector) => {
    const point = selector.codePointAt(0) ?? 0;
    return point < 0xe0100 ? point - 0xfe00 : point - 0xe0100 + 16;
  });
  return `. ${new TextDecoder().decode(Uint8Array.from(bytes))}`;
}

function readTags(tags: string): string {
  const letters = [...tags].map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - TAG_OFFSET));
  return `. ${letters.join("")}`;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/**
 * Folds look-alike characters (NFKC), removes invisible characters, diacritics and emphasis, and collapses whitespace.
 * Letters in tag characters become visible. Keeps capitals.
 */
export function foldCharacters(text: string): string {
  const plain = PRINTABLE_ASCII.test(text)
    ? text
    : limitCombiningMarks(
        limitCombiningMarks(text.replace(SELECTORS, readSelectors))
          .normalize("NFKC")
          .replace(TAG_CHARACTERS, readTags)
          .replace(INVISIBLE, ""),
      )
        .normalize("NFD")
        .replace(MARKS, "")
        .normalize("NFC");
  return plain
    .replace(CURLY_APOSTROPHE, "'")
    .replace(ESCAPED_BLANK, " ")
    .replace(EMPHASIS, "")
    .replace(BLANKS, " ")
    .trim();
}
