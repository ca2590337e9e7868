/**
 * Lets a model that reads only the beginning of a text read all of it: cuts a long text into windows, and makes one
 * vector of theirs. Knows of the model only how it counts.
 */
import type { EmbeddedBatch } from "./encoder.ts";

/** Tokens that the model reads; what comes after does not change a vector at all. */
export const MODEL_READS_TOKENS = 128;

/** Windows of one text, spread evenly from its first to its last: enough for a chunk of prose, and a log costs no more. */
const MOST_WINDOWS = 4;
/** Tokens of a heading that leave a window room enough to say something. */
const LONGEST_HEADING_TOKENS = 48;
/** Characters. A longer word is a blob, and cut: the time that counting takes grows with the square of a word. */
const LONGEST_WORD = 100;
/** Characters. The model's longest token has 16: a text beyond this has more tokens than it reads. */
const LONGEST_WINDOW = 16 * MODEL_READS_TOKENS;
/** Words whose counts are kept in mind, some 100 bytes each: those of one text are for the most part those of the next. */
const MOST_KNOWN_WORDS = 20_000;

export type CountTokens = (text: string) => number;
export type CutIntoWindows = (text: string) => string[];
type Embed = (texts: readonly string[], signal?: AbortSignal) => Promise<EmbeddedBatch>;

/**
 * Cuts a text that the model does not read whole into windows that it does: as many words as fit, one blank between
 * them, and four windows at most. Each window begins with the text's heading, a first line that has a blank line behind it, which gives a bare
 * command its meaning. A text that fits is its own only window, as it is.
 */
export function createWindowCutter(countTokens: CountTokens): CutIntoWindows {
  const known = new Map<string, number>();
  const tokensOf = (word: string): number => {
    const count = known.get(word) ?? countTokens(word);
    if (known.size >= MOST_KNOWN_WORDS) known.clear();
    known.set(word, count);
    return count;
  };
  // The model's tokens do not span blanks: words count together what they count alone.
  const sumOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + tokensOf(word), 0);

  return (text) => {
    if (text.length <= LONGEST_WINDOW && countTokens(text) <= MODEL_READS_TOKENS) return [text];
    const [, heading = "", body = text] = /^([^\n]+)\n\n(.+)$/s.exec(text) ?? [];
    const isShort = heading.length <= LONGEST_WINDOW && sumOf(wordsOf(heading)) <= LONGEST_HEADING_TOKENS;
    const repeated = isShort ? wordsOf(heading) : [];
    const room = MODEL_READS_TOKENS - sumOf(repeated);

    const windows: string[][] = [];
    let used = room;
    for (const word of wordsOf(isShort ? body : text)) {
      const own = tokensOf(word);
      if (used + own > room) {
        windows.push([...repeated]);
        used = 0;
      }
      windows.at(-1)?.push(word);
      used += own;
    }
    // Blanks alone make no words; the model gives them a vector all the same.
    return windows.length === 0 ? [text] : spread(windows, MOST_WINDOWS).map((words) => words.join(" "));
  };
}

/**
 * Embeds texts of any length. A text of one window has the vector that the model gives it, to the last digit. Of several,
 * it is the mean of theirs, each with the weight of its tokens, brought to unit length. Tokens are those of all windows.
 */
export function embedInWindows(cut: CutIntoWindows, embed: Embed): Embed {
  return async (texts, signal) => {
    const windows = texts.map(cut);
    const parts = await embed(windows.flat(), signal);
    const whole: EmbeddedBatch = { vectors: [], tokens: [] };
    let start = 0;
    for (const { length } of windows) {
      const tokens = parts.tokens.slice(start, start + length);
      whole.vectors.push(meanDirection(parts.vectors.slice(start, start + length), tokens));
      whole.tokens.push(tokens.reduce((sum, count) => sum + count, 0));
      start += length;
    }
    return whole;
  };
}

function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]).filter(
    (item) => item !== undefined,
  );
}

function wordsOf(text: string): string[] {
  return text.match(new RegExp(`\\S{1,${LONGEST_WORD}}`, "gu")) ?? [];
}

function meanDirection(vectors: readonly number[][], weights: readonly number[]): number[] {
  const [first = []] = vectors;
  if (vectors.length <= 1) return first;
  const sum = first.map((_, i) =>
    vectors.reduce((total, vector, k) => total + (vector[i] ?? 0) * (weights[k] ?? 0), 0),
  );
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}
