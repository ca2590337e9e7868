// Splits a text into segments, mostly single words, without splitting a secret. Redaction works on one segment at a time,
// so a whole text and a stream give the same result. A keyword that may announce a secret, such as "password" or "curl",
// opens a window: the segment goes on to the end of the line or of the window. One pass, no backtracking.

import { type Continuation, continuesOnNextLine } from "./secrets/next-line.ts";
import { COMMAND_WINDOW, KEYWORD_AUTOMATON, NAME_WINDOW, TRAIT } from "./secrets/segment-keywords.ts";

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
/** Digits of the shortest number that identifies a person, a phone number. */
const MANY_DIGITS = 7;
/** Colons of the shortest line of a password file; an IPv6 address has more, or two in a row. */
const MIN_COLONS = 4;
/** Dots of an IPv4 address. */
const MIN_DOTS = 3;
/** Maximum number of spaces within one segment; a wider gap ends it. */
const MAX_GAP_LENGTH = 64;
/** Length of the shortest token; shorter runs of word characters, dots, hyphens and the signs of base64 are skipped. */
const MIN_TOKEN_LENGTH = 16;
/** Length of the shortest base64 that is decoded, and of the shortest key without a prefix. */
const MIN_ENCODED_LENGTH = 24;
const MIN_KEY_LENGTH = 40;
/** Characters of a group of an account number, and groups after the first. */
const MAX_GROUP_LENGTH = 4;
const MAX_GROUPS = 8;
/** Words of scripts without spaces that may be the name before an @. */
const MAX_UNSPACED_LENGTH = 24;

const SPACE = 1;
const TOKEN = 2;
const DIGIT = 4;
const SPECIAL = 8;
/** Characters of scripts without spaces. */
const UNSPACED = 16;

const KINDS = kindTable();

function kindTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  const mark = (characters: string, bits: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = bits;
  };
  mark(" \t\r\n\f\v\u00a0", SPACE);
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-", TOKEN);
  mark("0123456789", TOKEN | DIGIT);
  // The slash and the plus sign are characters of base64.
  mark("./+", TOKEN | SPECIAL);
  mark("@%=:&\\", SPECIAL);
  // From the CJK radicals on, without the first halves of surrogate pairs.
  table.fill(UNSPACED, 0x2e80, 0xd800);
  table.fill(UNSPACED, 0xdc00);
  return table;
}

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
  /** Digits of the number that continues, with the separators of phone numbers and accounts. */
  #number = 0;
  /** Dots after a digit. */
  #dots = 0;
  #colons = 0;
  #lastCode = 0;
  #firstOfWord = 0;
  /** Characters of the last word. */
  #wordLength = 0;
  /** Further groups of an account number. */
  #groups = 0;
  #isJoined = false;
  /** State of the keyword automaton. */
  #state = 0;
  /** Position in the whole text up to which the window is open. */
  #windowEnd = 0;
  /** Position of the current piece in the whole text. */
  #offset = 0;
  #nextLine: Continuation = { lines: 0, length: 0 };

  #close(): void {
    this.#closed = this.#traits;
    this.#context = "";
    this.#traits =
      this.#gap =
      this.#run =
      this.#digits =
      this.#number =
      this.#dots =
      this.#colons =
      this.#lastCode =
      this.#windowEnd =
        0;
    this.#firstOfWord = this.#wordLength = this.#groups = 0;
    this.#hasWord = this.#isJoined = false;
    this.#nextLine = { lines: 0, length: 0 };
  }

  /** Whether the word that begins with `code` after a gap continues the segment. */
  #continues(code: number, text: string, from: number, start: number): boolean {
    if (this.#gap > MAX_GAP_LENGTH) return false;
    if (this.#offset + start < this.#windowEnd) return true;
    if (this.#continuesGroups(code)) return true;
    if (code === EQUALS || code === COLON || this.#lastCode === EQUALS || this.#lastCode === COLON) return true;
    const isDigit = code >= 48 && code <= 57;
    const isAfterDigit = (this.#lastCode >= 48 && this.#lastCode <= 57) || this.#lastCode === CLOSING;
    if (isAfterDigit && (isDigit || code === OPENING || code === SLASH || code === HYPHEN)) return true;
    if (!isDigit) return false;
    const isAfterSign = this.#wordLength === 1 && (this.#lastCode === SLASH || this.#lastCode === HYPHEN);
    return (isAfterSign && this.#isJoined) || BEFORE_VERSION.test(this.#before(text, from, start));
  }

  /** Groups of an account number: `GB82 WEST 1234`. */
  #continuesGroups(code: number): boolean {
    const isShort = this.#gap === 1 && this.#wordLength <= MAX_GROUP_LENGTH && this.#groups < MAX_GROUPS;
    const isGroup = isShort && (isUpper(code) || (code >= 48 && code <= 57));
    if (!isGroup || !(this.#groups > 0 || isUpper(this.#firstOfWord))) return false;
    // The first group is the country and two digits.
    if (this.#groups === 0 && !(this.#wordLength === 4 && this.#digits >= 2)) return false;
    this.#groups += 1;
    return true;
  }

  /** Whether the segment goes on after the line break at `end`. */
  #continuesAfter(text: string, from: number, end: number): boolean {
    if (this.#nextLine.lines > 1) {
      this.#nextLine = { ...this.#nextLine, lines: this.#nextLine.lines - 1 };
      return true;
    }
    if (this.#offset + end >= this.#windowEnd) return false;
    const next = continuesOnNextLine(this.#before(text, from, end), {
      isNamed: (this.#traits & TRAIT.named) !== 0,
      isCommand: (this.#traits & (TRAIT.command | TRAIT.auth)) !== 0,
    });
    if (next === undefined) return false;
    this.#nextLine = next;
    this.#windowEnd = Math.max(this.#windowEnd, this.#offset + end + next.length);
    return true;
  }

  /** The text before a word. Computed on demand, since most words do not need it. */
  #before(text: string, from: number, start: number): string {
    return (this.#context + text.slice(Math.max(from, start - CONTEXT), start)).slice(-CONTEXT);
  }

  /** Updates the state for a special character. */
  #readSpecial(code: number): void {
    if (code === 64 || code === 37 || code === BACKSLASH || code === AMPERSAND) this.#traits |= TRAIT.at;
    else if (code === COLON) {
      this.#colons += 1;
      if (this.#colons === MIN_COLONS || this.#lastCode === COLON) this.#traits |= TRAIT.colons;
    } else if (code === 46 && this.#lastCode >= 48 && this.#lastCode <= 57) {
      this.#dots += 1;
      if (this.#dots === MIN_DOTS) this.#traits |= TRAIT.dottedDigit;
    }
  }

  #countRun(length: number): void {
    this.#run += length;
    if (this.#run < MIN_TOKEN_LENGTH) return;
    this.#traits |= TRAIT.longRun;
    if (this.#run >= MIN_ENCODED_LENGTH) this.#traits |= TRAIT.encodedRun;
    if (this.#run >= MIN_KEY_LENGTH) this.#traits |= TRAIT.keyRun;
  }

  /** Opens the window of the keyword that ends at `at`. */
  #readKeyword(bits: number, at: number): void {
    this.#traits |= bits;
    const length = bits & (TRAIT.command | TRAIT.auth) ? COMMAND_WINDOW : bits & TRAIT.named ? NAME_WINDOW : 0;
    this.#windowEnd = Math.max(this.#windowEnd, this.#offset + at + length);
  }

  /** Skips letters, digits, _ and - from `start`, the bulk of every text. Returns the index of the last one. */
  #passWord(text: string, start: number): number {
    const { classes, next, output } = KEYWORD_AUTOMATON;
    const { length } = text;
    let end = start;
    let digits = 0;
    let state = this.#state;
    for (; end < length; end++) {
      const code = text.charCodeAt(end);
      const kind = KINDS[code];
      if (kind !== TOKEN && kind !== (TOKEN | DIGIT)) break;
      digits += kind >> 2;
      state = next[state + (classes[code] ?? 0)] ?? 0;
      if (output[state] !== 0) this.#readKeyword(output[state] ?? 0, end);
    }
    this.#state = state;
    if (digits > 0) {
      this.#digits += digits;
      this.#countNumber(text, start, end);
    }
    this.#countRun(end - start);
    this.#wordLength += end - start - 1;
    this.#lastCode = text.charCodeAt(end - 1);
    return end - 1;
  }

  /** Counts the digits of the numbers in a word. A date is none; capitals and hyphens may stand within an account. */
  #countNumber(text: string, start: number, end: number): void {
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i);
      if (code >= 48 && code <= 57) {
        this.#number += 1;
        if (this.#number === 1 && isDate(text, i)) {
          i += DATE_LENGTH - 1;
          this.#number = 0;
        } else if (this.#number === MANY_DIGITS) this.#traits |= TRAIT.manyDigits;
      } else if (code >= UNDERSCORE) this.#number = 0;
    }
  }

  #isPlain(at: number): boolean {
    return !this.#isJoined && (this.#traits & (TRAIT.at | TRAIT.colons)) === 0 && this.#offset + at >= this.#windowEnd;
  }

  /** Whether a segment ends after this character: no name of a mailbox continues after punctuation. */
  #endsUnspaced(code: number): boolean {
    return this.#wordLength >= MAX_UNSPACED_LENGTH || isUnspacedPunctuation(code);
  }

  next(text: string, from: number): number {
    const { classes, next, output } = KEYWORD_AUTOMATON;
    const { length } = text;
    for (let i = from; i < length; i++) {
      const code = text.charCodeAt(i);
      const kind = KINDS[code] ?? 0;
      if (kind & SPACE) {
        this.#state = next[this.#state + (classes[code] ?? 0)] ?? 0;
        if (output[this.#state] !== 0) this.#readKeyword(output[this.#state] ?? 0, i);
        if (code === NEWLINE) {
          if (!this.#continuesAfter(text, from, i)) {
            this.#close();
            return i + 1;
          }
          this.#gap = 0;
        } else if (this.#hasWord) this.#gap += 1;
        this.#run = 0;
        continue;
      }
      if (this.#gap > 0) {
        if (!this.#continues(code, text, from, i)) {
          this.#close();
          return i;
        }
        this.#gap = this.#wordLength = 0;
        this.#isJoined = true;
        this.#firstOfWord = code;
      } else if (!this.#hasWord) this.#firstOfWord = code;
      this.#hasWord = true;
      this.#wordLength += 1;
      if (kind === TOKEN || kind === (TOKEN | DIGIT)) {
        i = this.#passWord(text, i);
        continue;
      }
      this.#state = next[this.#state + (classes[code] ?? 0)] ?? 0;
      if (output[this.#state] !== 0) this.#readKeyword(output[this.#state] ?? 0, i);
      // Of the special characters only these are part of a token.
      if (kind & TOKEN) this.#countRun(1);
      else this.#run = 0;
      if (kind & SPECIAL) this.#readSpecial(code);
      if (!JOINS_DIGITS.has(code)) this.#number = 0;
      this.#lastCode = code;
      // In scripts without spaces, a segment is a part of a sentence, unless a name and value may be open.
      if (kind === UNSPACED && this.#isPlain(i) && this.#endsUnspaced(code)) {
        this.#close();
        return i + 1;
      }
    }
    this.#context = (this.#context + text.slice(Math.max(from, length - CONTEXT))).slice(-CONTEXT);
    this.#offset += length;
    this.#closed = this.#traits;
    return -1;
  }

  traits(): number {
    return this.#closed;
  }
}

const DATE = /(?:19|20)\d\d-[01]\d-[0-3]\d(?![\d-]|[ ./]\d)/y;
const DATE_LENGTH = 10;

/** Whether a date begins at the index. A date that ends with the text may be part of a longer number. */
function isDate(text: string, at: number): boolean {
  DATE.lastIndex = at;
  return text.length > at + DATE_LENGTH + 1 && DATE.test(text);
}

/** Signs within a phone number or an account number, beside blanks and hyphens. */
const JOINS_DIGITS = new Set([..."()./+\u2009\u202f\u2010\u2011\u2012\u2013"].map((sign) => sign.charCodeAt(0)));

const NEWLINE = 10;
const AMPERSAND = 38;
const OPENING = 40;
const CLOSING = 41;
const HYPHEN = 45;
const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const BACKSLASH = 92;
const UNDERSCORE = 95;

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

/** Ideographic space, comma and full stop, brackets; full-width punctuation. */
function isUnspacedPunctuation(code: number): boolean {
  return (code >= 0x3000 && code <= 0x303f && code !== 0x3005) || (code >= 0xff00 && code <= 0xff0f) || code === 0xff1a;
}
