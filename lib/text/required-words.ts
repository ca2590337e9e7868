// Words that every match of a pattern contains, read from the source of the pattern. Searching a text for the words of many
// patterns takes one pass, so only the patterns that can match run. Pure functions.

/** A part of a pattern. */
interface Part {
  /** All texts that it matches, if they are few. */
  readonly texts?: readonly string[];
  /** Sets of words: a match contains one word of each. */
  readonly needs: readonly (readonly string[])[];
}

/** A product of alternatives with more texts is not joined. */
const MAX_TEXTS = 64;
/** Shorter words are in every line. */
const MIN_LENGTH = 3;

const NOTHING: Part = { texts: [""], needs: [] };
const ANYTHING: Part = { needs: [] };

/**
 * Returns sets of words of letters: a match of the pattern contains a word of each set, as a substring. Empty if no word is
 * certain. Reads literals, groups, classes of letters, lookarounds and quantifiers; what it does not know counts as any text.
 * @param source the source of a pattern for text in lower case
 */
export function requiredWords(source: string): readonly (readonly string[])[] {
  return needsOf(new Reader(source).alternatives());
}

/** What a part needs, its own texts included. */
function needsOf({ texts, needs }: Part): readonly (readonly string[])[] {
  if (!texts) return needs;
  const words = texts.map(longestWord);
  return words.every((word) => word.length >= MIN_LENGTH) ? [[...new Set(words)]] : [];
}

function longestWord(text: string): string {
  return (text.match(/[a-z]+/g) ?? []).reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** Either of the parts. */
function either(parts: readonly Part[]): Part {
  const texts = parts.flatMap((part) => part.texts ?? []);
  if (parts.every((part) => part.texts) && texts.length <= MAX_TEXTS) return { texts, needs: [] };
  // The rarest words of each: a longer word is rarer.
  const best = parts.map((part) => needsOf(part).toSorted((a, b) => shortest(b) - shortest(a))[0]);
  const words = best.flatMap((set) => set ?? []);
  return best.every((set) => set !== undefined) ? { needs: [[...new Set(words)]] } : ANYTHING;
}

function shortest(words: readonly string[]): number {
  return Math.min(...words.map((word) => word.length));
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads up to the end of a group or of the pattern. */
  alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? (parts[0] ?? NOTHING) : either(parts);
  }

  #sequence(): Part {
    const needs: (readonly string[])[] = [];
    let texts: readonly string[] | undefined = [""];
    let isWhole = true;
    for (
      let next = this.#source[this.#at];
      next !== undefined && next !== "|" && next !== ")";
      next = this.#source[this.#at]
    ) {
      const part = this.#quantified(this.#atom());
      const own: readonly string[] | undefined = part.texts;
      if (own && own.length * texts.length <= MAX_TEXTS) {
        texts = texts.flatMap((text) => own.map((more) => text + more));
        continue;
      }
      needs.push(...needsOf({ texts, needs: [] }), ...(own ? [] : part.needs));
      texts = own ?? [""];
      isWhole = false;
    }
    return isWhole ? { texts, needs: [] } : { needs: [...needs, ...needsOf({ texts, needs: [] })] };
  }

  #atom(): Part {
    const character = this.#source[this.#at] ?? "";
    if (character === "(") return this.#group();
    if (character === "[") return this.#class();
    this.#at += 1;
    if (character === "\\") return this.#escape();
    if (character === "^" || character === "$") return NOTHING;
    return character === "." ? ANYTHING : { texts: [character], needs: [] };
  }

  #group(): Part {
    const [opening = "("] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(this.#source.slice(this.#at, this.#at + 40)) ?? [];
    this.#at += opening.length;
    const part = this.alternatives();
    this.#at += 1;
    return /[=!]$/.test(opening) ? NOTHING : part;
  }

  #class(): Part {
    const start = this.#at + 1;
    for (this.#at = start; this.#source[this.#at] !== "]"; this.#at++)
      if (this.#source[this.#at] === "\\") this.#at += 1;
    const inner = this.#source.slice(start, this.#at);
    this.#at += 1;
    return /^[a-z]{1,4}$/.test(inner) ? { texts: [...inner], needs: [] } : ANYTHING;
  }

  #escape(): Part {
    const character = this.#source[this.#at] ?? "";
    this.#at += 1;
    if (character === "b" || character === "B") return NOTHING;
    const [more = ""] = /^\{[^}]*\}|^<\w+>/.exec(this.#source.slice(this.#at, this.#at + 60)) ?? [];
    if ("pPk".includes(character)) this.#at += more.length;
    else if (character === "u") this.#at += 4;
    else if (character === "x") this.#at += 2;
    return /\w/.test(character) ? ANYTHING : { texts: [character], needs: [] };
  }

  #quantified(part: Part): Part {
    const [quantifier] = /^(?:[?*+]|\{\d+(?:,\d*)?\})\??/.exec(this.#source.slice(this.#at, this.#at + 20)) ?? [];
    if (quantifier === undefined) return part;
    this.#at += quantifier.length;
    if (quantifier.startsWith("?")) return part.texts ? { texts: ["", ...part.texts], needs: [] } : ANYTHING;
    const isOptional = quantifier.startsWith("*") || /^\{0[,}]/.test(quantifier);
    return isOptional ? ANYTHING : { needs: needsOf(part) };
  }
}
