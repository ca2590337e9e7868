// Splits a text into segments, mostly single words, without splitting a secret. Redaction works on one segment at a time,
// so a whole text and a stream give the same result. One pass, no backtracking.

import { ANY_KEY_ENDING, MAX_GAP_LENGTH, SEPARATOR } from "./key-names.ts";
import { MIN_TOKEN_LENGTH } from "./token-formats.ts";

/** Properties of a segment, as bits; only the rules that can match them run. */
export const TRAIT = {
  /** A run of word characters, dots and hyphens at least as long as the shortest token. */
  longRun: 1,
  /** @, % or the start of an escape. */
  at: 2,
  /** A character between a name and its value: = : < %. */
  separator: 4,
  /** Six digits or more: enough for a phone number or a national id. */
  manyDigits: 8,
  /** A digit and a dot. */
  dottedDigit: 16,
  /** A word such as "Bearer" or "--password", followed by its value. */
  announced: 32,
  /** Two colons or more: enough for an IPv6 address. */
  colons: 64,
} as const;

export interface Segmenter {
  /**
   * Reads `text` from index `from` and returns the end of the current segment, or −1 when the segment continues in the
   * next piece. Each text continues the previous one. `from` is the result of the last call, or 0 in a new piece.
   */
  next(text: string, from: number): number;
  /** Returns the traits of the segment that `next` ended last, or of the segment that continues. */
  traits(): number;
}

/** Characters before a possible boundary that are checked to decide it. */
const CONTEXT = 224;
/** Digits of the shortest number that identifies a person, a British insurance number. */
const MANY_DIGITS = 6;
/** Characters. A longer quotation is not a password, so the segment ends without a closing quote. */
const MAX_QUOTATION_LENGTH = 1024;

/** Characters of a group of an account number, and groups after the first. */
const MAX_GROUP_LENGTH = 4;
const MAX_GROUPS = 8;
/** Words of scripts without spaces that may be the name before an @. */
const MAX_UNSPACED_LENGTH = 24;

const SPACE = 1;
const TOKEN = 2;
const DIGIT = 4;
const SPECIAL = 8;

const CLASSES = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  const mark = (characters: string, bits: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = bits;
  };
  mark(" \t\r\n\f\v", SPACE);
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-", TOKEN);
  mark("0123456789", TOKEN | DIGIT);
  mark(".", TOKEN | SPECIAL);
  mark("@%&=:<\"'`\\", SPECIAL);
  return table;
}

const OPEN_QUOTATION = new RegExp(
  `(?:${ANY_KEY_ENDING}(?:[_-]?\\d{1,2})?${SEPARATOR}|\\b(?:password|identified by)[ \\t]{1,64})(?<escape>\\\\{0,3})(?<quote>["'\`])(?:(?<=\\\\["'\`])(?:(?!\\k<quote>)[^\\n])*|(?<!\\\\["'\`])(?:\\\\.|(?!\\k<quote>)[^\\\\\\n])*)$`,
  "i",
);
const ANNOUNCING = /(?:^|[^a-z])(?:bearer|basic)\s*$/i;
const SCHEME = /authorization[\\"'`]{0,4}[ \t]{0,64}[:=][ \t]{0,64}[\\"'`]{0,4}[\w-]{1,24}\s*$/i;
const OPTION = new RegExp(`(?:^|\\s)--?[\\w-]{0,32}${ANY_KEY_ENDING}\\s*$`, "i");
const BEFORE_QUOTE = /(?:password|identified(?: by)?)\s*$/i;
const BEFORE_VERSION = /\b(?:version|ver\.?|release|build|v)["']?\s*$/i;

export function createSegmenter(): Segmenter {
  return new CharacterSegmenter();
}

/** A class, because the engine optimises its methods once; closures would be new functions for each text. */
class CharacterSegmenter implements Segmenter {
  #context = "";
  #traits = 0;
  #closed = 0;
  #hasWord = false;
  #gap = 0;
  #run = 0;
  #digits = 0;
  #colons = 0;
  #lastCode = 0;
  #firstOfWord = 0;
  /** Characters of the last word. */
  #wordLength = 0;
  /** Further groups of an account number. */
  #groups = 0;
  #isJoined = false;
  #quote = 0;
  #isQuoteEscaped = false;
  #quoted = 0;
  #hasQuote = false;

  #close(): void {
    this.#closed = this.#traits;
    this.#context = "";
    this.#traits =
      this.#gap =
      this.#run =
      this.#digits =
      this.#colons =
      this.#lastCode =
      this.#firstOfWord =
      this.#quote =
      this.#quoted =
      this.#wordLength =
      this.#groups =
        0;
    this.#hasWord = this.#isJoined = this.#isQuoteEscaped = this.#hasQuote = false;
  }

  /** Whether the word that begins with `code` after a gap continues the segment. */
  #continues(code: number, text: string, from: number, start: number): boolean {
    if (this.#quote !== 0) return true;
    if (this.#gap > MAX_GAP_LENGTH) return false;
    if (this.#continuesGroups(code)) return true;
    if (code === EQUALS || code === COLON || this.#lastCode === EQUALS || this.#lastCode === COLON) return true;
    if (this.#lastCode === GREATER && /[=]>\s*$/.test(this.#before(text, from, start))) return true;
    const isDigit = code >= 48 && code <= 57;
    const isAfterDigit = (this.#lastCode >= 48 && this.#lastCode <= 57) || this.#lastCode === CLOSING;
    if (isAfterDigit && (isDigit || code === OPENING || code === SLASH || code === HYPHEN)) return true;
    if (isDigit && this.#isJoined && this.#wordLength === 1 && (this.#lastCode === SLASH || this.#lastCode === HYPHEN))
      return true;
    if (this.#hasQuote && this.#opensQuotation(this.#before(text, from, start))) return true;
    if (isDigit && BEFORE_VERSION.test(this.#before(text, from, start))) return true;
    const isAnnounced =
      ((code === 34 || code === 39) && BEFORE_QUOTE.test(this.#before(text, from, start))) ||
      (END_OF_ANNOUNCER.has(this.#lastCode) && ANNOUNCING.test(this.#before(text, from, start))) ||
      (this.#isJoined && SCHEME.test(this.#before(text, from, start))) ||
      (this.#firstOfWord === HYPHEN && OPTION.test(this.#before(text, from, start))) ||
      ((code === 98 || code === 66) && /identified\s*$/i.test(this.#before(text, from, start)));
    if (isAnnounced) this.#traits |= TRAIT.announced;
    return isAnnounced;
  }

  /** Groups of an account or insurance number: `GB82 WEST 1234`, `AB 12 34 56 C`. */
  #continuesGroups(code: number): boolean {
    const isShort = this.#gap === 1 && this.#wordLength <= MAX_GROUP_LENGTH && this.#groups < MAX_GROUPS;
    const isUpper = (letter: number) => letter >= 65 && letter <= 90;
    const isGroup = isShort && (isUpper(code) || (code >= 48 && code <= 57));
    if (!isGroup || !(this.#groups > 0 || isUpper(this.#firstOfWord))) return false;
    // The first group is two letters, or the country and two digits.
    const length = this.#wordLength;
    if (this.#groups === 0 && length !== 2 && !(length === 4 && this.#digits >= 2)) return false;
    this.#groups += 1;
    return true;
  }

  /** The text before a word. Computed on demand, since most words do not need it. */
  #before(text: string, from: number, start: number): string {
    return (this.#context + text.slice(Math.max(from, start - CONTEXT), start)).slice(-CONTEXT);
  }

  #opensQuotation(words: string): boolean {
    const match = OPEN_QUOTATION.exec(words);
    if (!match?.groups) return false;
    this.#quote = match.groups.quote?.charCodeAt(0) ?? 0;
    this.#isQuoteEscaped = match.groups.escape !== "";
    this.#quoted = 0;
    return true;
  }

  /** Updates the state for a special character. */
  #readSpecial(code: number): void {
    if (code === 64 || code === BACKSLASH || code === AMPERSAND) this.#traits |= TRAIT.at;
    else if (code === 37) this.#traits |= TRAIT.at | TRAIT.separator;
    else if (code === EQUALS || code === 60) this.#traits |= TRAIT.separator;
    else if (code === COLON) {
      this.#traits |= TRAIT.separator;
      this.#colons += 1;
      if (this.#colons === 2) this.#traits |= TRAIT.colons;
    } else if (code === 46) {
      if (this.#lastCode >= 48 && this.#lastCode <= 57) this.#traits |= TRAIT.dottedDigit;
    } else if (code === 34 || code === 39 || code === 96) {
      this.#hasQuote = true;
      if (code === this.#quote && (this.#lastCode === BACKSLASH) === this.#isQuoteEscaped) this.#quote = 0;
    }
  }

  #countRun(length: number): void {
    this.#run += length;
    if (this.#run >= MIN_TOKEN_LENGTH) this.#traits |= TRAIT.longRun;
  }

  /** Skips letters, digits, _ and - from `start`, the bulk of every text. Returns the index of the last one. */
  #passWord(text: string, start: number): number {
    const { length } = text;
    let end = start;
    let digits = 0;
    for (; end < length; end++) {
      const bits = CLASSES[text.charCodeAt(end)];
      if (bits !== TOKEN && bits !== (TOKEN | DIGIT)) break;
      digits += bits >> 2;
    }
    if (digits > 0) {
      this.#digits += digits;
      if (this.#digits >= MANY_DIGITS) this.#traits |= TRAIT.manyDigits;
    }
    this.#countRun(end - start);
    this.#wordLength += end - start - 1;
    if (this.#quote !== 0) this.#quoted += end - start - 1;
    this.#lastCode = text.charCodeAt(end - 1);
    return end - 1;
  }

  #isPlain(): boolean {
    return this.#quote === 0 && !this.#isJoined && (this.#traits & (TRAIT.at | TRAIT.separator)) === 0;
  }

  /** Whether a segment ends after this character: no name of a mailbox continues after punctuation. */
  #endsUnspaced(code: number): boolean {
    return this.#wordLength >= MAX_UNSPACED_LENGTH || isUnspacedPunctuation(code);
  }

  next(text: string, from: number): number {
    const { length } = text;
    for (let i = from; i < length; i++) {
      const code = text.charCodeAt(i);
      const bits = code < 128 ? (CLASSES[code] ?? 0) : code === NO_BREAK_SPACE ? SPACE : 0;
      if (this.#quote !== 0 && ++this.#quoted > MAX_QUOTATION_LENGTH) this.#quote = 0;
      if (bits & SPACE) {
        if (code === NEWLINE) {
          this.#close();
          return i + 1;
        }
        if (this.#hasWord) this.#gap += 1;
        this.#run = 0;
        continue;
      }
      if (this.#gap > 0) {
        if (!this.#continues(code, text, from, i)) {
          this.#close();
          return i;
        }
        this.#gap = 0;
        this.#wordLength = 0;
        this.#isJoined = true;
        this.#firstOfWord = code;
      } else if (!this.#hasWord) this.#firstOfWord = code;
      this.#hasWord = true;
      this.#wordLength += 1;
      if (bits === TOKEN || bits === (TOKEN | DIGIT)) {
        i = this.#passWord(text, i);
        continue;
      }
      // Of the special characters only the dot is part of a token.
      if (bits & TOKEN) this.#countRun(1);
      else this.#run = 0;
      if (bits & SPECIAL) this.#readSpecial(code);
      this.#lastCode = code;
      // In scripts without spaces, a segment is a part of a sentence, unless a name and value may be open.
      if (code >= FIRST_UNSPACED && !isHighSurrogate(code) && this.#isPlain() && this.#endsUnspaced(code)) {
        this.#close();
        return i + 1;
      }
    }
    this.#context = (this.#context + text.slice(Math.max(from, length - CONTEXT))).slice(-CONTEXT);
    this.#closed = this.#traits;
    return -1;
  }

  traits(): number {
    return this.#closed;
  }
}

const NEWLINE = 10;
const AMPERSAND = 38;
const HYPHEN = 45;
const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const GREATER = 62;
const OPENING = 40;
const CLOSING = 41;
const BACKSLASH = 92;
const NO_BREAK_SPACE = 0xa0;
/** CJK radicals, the first script that is written without spaces. */
const FIRST_UNSPACED = 0x2e80;
const END_OF_ANNOUNCER: ReadonlySet<number> = new Set([..."rRcC"].map((letter) => letter.charCodeAt(0)));

/** Ideographic space, comma and full stop, brackets; full-width punctuation. */
function isUnspacedPunctuation(code: number): boolean {
  return (code >= 0x3000 && code <= 0x303f && code !== 0x3005) || (code >= 0xff00 && code <= 0xff0f) || code === 0xff1a;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
