// One pass over the characters of a line: the heaviest failure word, whether it may show a state, and the hash of its
// template. It makes no strings, so that most lines cost nothing else.

import { FAILURE_NUMBERS, FAILURE_WORDS, GATE_WORDS } from "./failure-words.ts";

/** Weight of a word that means a failure in some phrases only. */
const GATE_WEIGHT = 0.35;
/** Weight of the reason column of an event. */
const EVENT_WEIGHT = 0.9;
const STATE_WORDS =
  "pong alive accepting sync pass available reachable successfully found notfound detected problems issues empty none true up yes loaded average cleared rollback undo caught closed complete completed promoted reestablished syntax active status rate ratio healthy operational recovered recovery rolled normal normally passed passing ok resolved restored resources rows ready running succeeded successful output data entries results matches reconnected established steady green fine nothing all again".split(
    " ",
  );
/** Words before a number that is no variable part. */
const CODE_WORDS = "code status exit exited errno error signal state sqlstate http".split(" ");

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const JOINER = 4;
const CLASS = new Uint8Array(128);
for (let code = 97; code <= 122; code++) CLASS[code] = LOWER;
for (let code = 65; code <= 90; code++) CLASS[code] = UPPER;
for (let code = 48; code <= 57; code++) CLASS[code] = DIGIT;
for (const character of "_-.") CLASS[character.charCodeAt(0)] = JOINER;

const START = 7;
const VARIABLE = 0x5bd1e995;
const ZERO = 48;
const PERCENT = 37;
/** A percentage from here on may mean that something is full. */
const MIN_PERCENTAGE = 90;

function mix(hash: number, value: number): number {
  return (Math.imul(hash, 31) + value) | 0;
}

function hashOf(word: string): number {
  let hash = START;
  for (let i = 0; i < word.length; i++) hash = mix(hash, word.charCodeAt(i));
  return hash;
}

const WEIGHTS = new Map<number, number>([
  ...[...GATE_WORDS].map((word) => [hashOf(word), GATE_WEIGHT] as const),
  ...[...FAILURE_WORDS].map(([word, weight]) => [hashOf(word), weight] as const),
]);
const STATES = new Set(STATE_WORDS.map(hashOf));
const CODES = new Set(CODE_WORDS.map(hashOf));
const NUMBERS = new Set(FAILURE_NUMBERS.map(Number));
const WARNING = hashOf("warning");

/** The result of the last `scan`. One object serves all lines. */
export class WordScanner {
  /** The heaviest failure word of the line, 0 to 1; 0 without one. */
  weight = 0;
  mayShowState = false;
  /** Equal for lines that differ in words with digits only. */
  template = 0;
  hasLowerCase = false;
  /** Whether it holds "1/2". */
  hasFraction = false;
  #word = START;
  #part = START;
  #capitalised = false;
  #token = START;
  #tokenLength = 0;
  #hasDigit = false;
  #number = 0;
  #wasVariable = false;
  #afterCode = false;

  scan(text: string, start: number, end: number): void {
    this.weight = 0;
    this.mayShowState = false;
    this.template = START;
    this.hasLowerCase = false;
    this.hasFraction = false;
    this.#wasVariable = false;
    this.#afterCode = false;
    let before = 0;
    let beforeThat = 0;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? (CLASS[code] ?? 0) : LOWER;
      if (kind === LOWER) {
        // "OOMKilled": the K begins a part.
        if (before === UPPER && beforeThat === UPPER) this.#restartPart(text.charCodeAt(at - 1) | 32);
        this.#addLetter(code);
        this.hasLowerCase = true;
      } else if (kind === UPPER) {
        if (before === LOWER) this.#endPart();
        if (before !== LOWER && before !== UPPER) this.#capitalised = true;
        this.#addLetter(code | 32);
      } else {
        if (before === LOWER || before === UPPER) this.#endWord(before);
        if (kind === DIGIT) this.#addDigit(code);
        else if (kind === JOINER) this.#token = mix(this.#token, code);
        else {
          if (before === DIGIT && code === 47) this.hasFraction = true;
          if (this.#tokenLength > 0) this.#endToken(code === PERCENT);
        }
      }
      beforeThat = before;
      before = kind;
    }
    if (before === LOWER || before === UPPER) this.#endWord(before);
    if (this.#tokenLength > 0) this.#endToken();
  }

  #addLetter(code: number): void {
    this.#word = mix(this.#word, code);
    this.#part = mix(this.#part, code);
    this.#token = mix(this.#token, code);
    this.#tokenLength += 1;
  }

  #addDigit(code: number): void {
    this.#hasDigit = true;
    this.#token = mix(this.#token, code);
    this.#tokenLength += 1;
    if (this.#tokenLength <= 6) this.#number = this.#number * 10 + (code - ZERO);
  }

  /** A part of a name ends: "Failed" of "FailedMount". */
  #endPart(): void {
    this.#weigh(this.#part);
    this.#part = START;
  }

  #restartPart(letter: number): void {
    this.#part = mix(START, letter);
  }

  #endWord(lastKind: number): void {
    const word = this.#word;
    this.#weigh(word);
    if (this.#part !== word) this.#weigh(this.#part);
    if (STATES.has(word)) this.mayShowState = true;
    // "Warning" in an event; a log level is "WARNING" or "warning".
    if (word === WARNING && this.#capitalised && lastKind === LOWER) this.weight = Math.max(this.weight, EVENT_WEIGHT);
    this.#afterCode = CODES.has(word);
    this.#word = START;
    this.#part = START;
    this.#capitalised = false;
  }

  #weigh(hash: number): void {
    const weight = WEIGHTS.get(hash);
    if (weight !== undefined && weight > this.weight) this.weight = weight;
  }

  #endToken(isPercentage = false): void {
    const isZero = this.#tokenLength === 1 && this.#hasDigit && this.#number === 0;
    if (this.#hasDigit && (isPercentage ? this.#number >= MIN_PERCENTAGE : NUMBERS.has(this.#number)))
      this.weight = Math.max(this.weight, GATE_WEIGHT);
    if (!this.#hasDigit || isZero || (this.#afterCode && this.#tokenLength <= 5)) {
      this.template = mix(this.template, this.#token);
      this.#wasVariable = false;
    } else if (!this.#wasVariable) {
      this.template = mix(this.template, VARIABLE);
      this.#wasVariable = true;
    }
    this.#token = START;
    this.#tokenLength = 0;
    this.#hasDigit = false;
    this.#number = 0;
  }
}
