// Words of a text for the table of word vectors: found by character codes, without a string or an array for each.

/** Longer runs of letters and digits are hashes, keys or encoded blobs. */
export const MAX_WORD_LENGTH = 48;

/**
 * Receives a word: its lower-case letters are `letters[from]` to `letters[to - 1]`, and are overwritten by the next word.
 * @param isPart false for an identifier of several words as a whole, which its parts came before
 */
export type VisitWord = (letters: Uint16Array, from: number, to: number, isPart: boolean) => void;

const letters = new Uint16Array(MAX_WORD_LENGTH);
/** Class of each letter of the run: what a boundary between two words depends on. */
const classes = new Uint8Array(MAX_WORD_LENGTH);
const [OTHER, LOWER, UPPER, DIGIT] = [0, 1, 2, 3];
const LETTER_S = 0x73;

/**
 * Visits the words of a text, in order: runs of letters and digits, each identifier in its parts and then as a whole.
 * `KubePodNotReady` gives kube, pod, not, ready and kubepodnotready. Linear in the length of the text.
 */
export function visitWords(text: string, visit: VisitWord): void {
  let length = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 0;
    const kind = classOf(code);
    if (kind !== OTHER) {
      if (length < MAX_WORD_LENGTH) {
        letters[length] = kind === UPPER ? lowerOf(code) : code;
        classes[length] = kind;
      }
      length += 1;
      continue;
    }
    if (length > 0 && length <= MAX_WORD_LENGTH) visitRun(length, visit);
    length = 0;
  }
}

function visitRun(length: number, visit: VisitWord): void {
  let from = 0;
  for (let i = 1; i < length; i++) {
    if (!beginsWord(i, length)) continue;
    visit(letters, from, i, true);
    from = i;
  }
  visit(letters, from, length, true);
  if (from > 0) visit(letters, 0, length, false);
}

/** CrashLoop begins a word at L, OOMKilled at K, HTTP2Server at S. PVCs and OOMs are one word each. */
function beginsWord(i: number, length: number): boolean {
  if (classes[i] !== UPPER) return false;
  const before = classes[i - 1];
  if (before === LOWER) return true;
  if (i + 1 >= length || classes[i + 1] !== LOWER) return false;
  const isPlural = i + 2 === length && letters[i + 1] === LETTER_S;
  return !isPlural;
}

function classOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code < 0xaa) return OTHER;
  return classOfForeign(code);
}

/** Punctuation, symbols and spaces above ASCII. The rest counts as letters: a word of any script is found. */
function classOfForeign(code: number): number {
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? LOWER : OTHER;
  if (code === 0xd7 || code === 0xf7) return OTHER;
  if (code >= 0x2000 && code <= 0x2bff) return OTHER;
  if (code >= 0x3000 && code <= 0x303f) return OTHER;
  if (code >= 0xd800 && code <= 0xf8ff) return OTHER;
  if (code >= 0xfe30 && code <= 0xfe6f) return OTHER;
  if (code >= 0xff00 && code <= 0xff0f) return OTHER;
  return lowerOf(code) === code ? LOWER : UPPER;
}

function lowerOf(code: number): number {
  if (code < 0x80) return code + 0x20;
  const lower = String.fromCharCode(code).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : code;
}

/** FNV-1a, 32 bits (Fowler, Noll, Vo), over the character codes. */
export function wordHash(word: Uint16Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (word[i] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Lengths of the parts of a word, with its boundaries. */
const MIN_PART_LENGTH = 3;
const MAX_PART_LENGTH = 5;
/** The sign before and after a word. */
const BOUNDARY = 0x20;

/**
 * Visits the hash of each part of a word: its substrings of 3 to 5 letters, boundaries counted (Bojanowski et al. 2017,
 * "Enriching Word Vectors with Subword Information").
 */
export function visitParts(word: Uint16Array, from: number, to: number, visit: (hash: number) => void): void {
  for (let start = from - 1; start < to; start++) {
    let hash = 0x811c9dc5;
    for (let end = start; end <= to && end - start < MAX_PART_LENGTH; end++) {
      const code = end < from || end === to ? BOUNDARY : (word[end] ?? 0);
      hash = Math.imul(hash ^ code, 0x01000193);
      if (end - start + 1 >= MIN_PART_LENGTH) visit(hash >>> 0);
    }
  }
}

/** Whether a word has a digit: an unknown one is a number or an id, whose parts mean nothing. */
export function hasDigit(word: Uint16Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = word[i] ?? 0;
    if (code >= 0x30 && code <= 0x39) return true;
  }
  return false;
}
