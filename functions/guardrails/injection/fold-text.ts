// Owns the form in which text is searched for instructions: what a model reads alike is made alike.

import { limitCombiningMarks } from "../../retrieval/text/plain-text.ts";

// Default ignorables and other format characters (Unicode category Cf), variation selectors, combining marks on
// letters, and the tag block, in which whole invisible sentences can be written.
const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;
const MARKS = /\p{Mn}/gu;
const ESCAPED_BLANK = /\\[nrt]/g;
// Emphasis and quotation inside a phrase: ignore **all** _previous_ "instructions".
const EMPHASIS =
  /[*~`]{1,3}(?=\p{L})|(?<=\p{L})[*~`]{1,3}|(?<![\p{L}\p{N}_])_{1,3}(?=\p{L})|(?<=\p{L})_{1,3}(?![\p{L}\p{N}_])/gu;
const BLANKS = /[\s\u00a0]+/g;
const CURLY_APOSTROPHE = /[‘’ʼ]/g;

const ONLY_PLAIN = /^[\x20-\x7e]*$/;

/** Capitals stay; see `fold` for the rest. */
export function foldCharacters(text: string): string {
  const plain = ONLY_PLAIN.test(text)
    ? text
    : limitCombiningMarks(limitCombiningMarks(text).normalize("NFKC").replace(INVISIBLE, ""))
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
