// What a regular expression of a label matcher can match, without running it: patterns of others may take any time.

export interface PatternFacts {
  /** Whether it may match the empty text. True in case of doubt. */
  readonly matchesEmpty: boolean;
  /** Whether every text that it matches has a certain character, so that it does not select everything. */
  readonly hasLiteral: boolean;
}

const EMPTY: PatternFacts = { matchesEmpty: true, hasLiteral: false };
const UNKNOWN = EMPTY;
/** Deeper groups are not read. */
const MAX_DEPTH = 50;

/** Reads a pattern with the syntax of RE2. Patterns are anchored at both ends. */
export function factsOf(pattern: string): PatternFacts {
  const reader = new Reader(pattern);
  const facts = reader.alternatives(0);
  return reader.isAtEnd ? facts : UNKNOWN;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  alternatives(depth: number): PatternFacts {
    let facts = this.#sequence(depth);
    while (this.#take("|")) {
      const next = this.#sequence(depth);
      facts = {
        matchesEmpty: facts.matchesEmpty || next.matchesEmpty,
        hasLiteral: facts.hasLiteral && next.hasLiteral,
      };
    }
    return facts;
  }

  #sequence(depth: number): PatternFacts {
    let facts = EMPTY;
    while (!this.isAtEnd && !this.#next("|") && !this.#next(")")) {
      const atom = this.#quantified(this.#atom(depth));
      facts = {
        matchesEmpty: facts.matchesEmpty && atom.matchesEmpty,
        hasLiteral: facts.hasLiteral || atom.hasLiteral,
      };
    }
    return facts;
  }

  #atom(depth: number): PatternFacts {
    const character = this.#text[this.#at++] ?? "";
    if (character === "(") return this.#group(depth);
    if (character === "[") return this.#class();
    if (character === "^" || character === "$") return EMPTY;
    if (character === ".") return { matchesEmpty: false, hasLiteral: false };
    if (character !== "\\") return { matchesEmpty: false, hasLiteral: true };
    const escaped = this.#text[this.#at++] ?? "";
    // A class such as \d, an assertion such as \b, a code such as \x41. Only an escaped sign is a certain character.
    return /[\w]/.test(escaped) ? UNKNOWN : { matchesEmpty: false, hasLiteral: escaped !== "" };
  }

  #group(depth: number): PatternFacts {
    if (depth >= MAX_DEPTH) {
      this.#at = this.#text.length;
      return UNKNOWN;
    }
    const prefix = /^\?(?:[imsU-]{0,8}:|P?<\w{1,64}>)/.exec(this.#text.slice(this.#at, this.#at + 70))?.[0];
    if (prefix !== undefined) this.#at += prefix.length;
    const facts = this.alternatives(depth + 1);
    return this.#take(")") ? facts : UNKNOWN;
  }

  #class(): PatternFacts {
    if (this.#next("^")) this.#at++;
    // A bracket at the beginning is a member.
    if (this.#next("]")) this.#at++;
    while (!this.isAtEnd && !this.#next("]")) this.#at += this.#next("\\") ? 2 : 1;
    return this.#take("]") ? { matchesEmpty: false, hasLiteral: false } : UNKNOWN;
  }

  #quantified(atom: PatternFacts): PatternFacts {
    let facts = atom;
    for (;;) {
      if (this.#take("*") || this.#take("?")) facts = EMPTY;
      else if (this.#next("{")) {
        const repetition = /^\{(\d{1,4})(?:,\d{0,4})?\}/.exec(this.#text.slice(this.#at, this.#at + 12));
        if (repetition === null) return facts;
        this.#at += repetition[0].length;
        if (Number(repetition[1]) === 0) facts = EMPTY;
      } else if (!this.#take("+")) return facts;
    }
  }

  #next(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  #take(character: string): boolean {
    const isNext = this.#next(character);
    if (isNext) this.#at++;
    return isNext;
  }
}
