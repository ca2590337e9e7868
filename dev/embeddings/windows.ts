// Windows: the model reads only the beginning of a text. A long text is split into windows, and their vectors are
// combined into one. The only thing used of the model is its token count.

import type { CountTokens, Embed, EmbeddedBatch } from "./encoder.ts";

/** Tokens that the model reads. Later tokens do not change a vector. */
export const MODEL_READS_TOKENS = 128;

/**
 * Windows of one text, evenly spaced from the first to the last. Enough for a chunk of prose; bounds the cost of a log.
 */
const MAX_WINDOWS = 4;
/** A longer heading would leave a window too little room for text. */
const MAX_HEADING_TOKENS = 48;
/** Longer words are blobs and are split: the time to count tokens grows with the square of the length. */
const MAX_WORD_CHARS = 100;
/** The model's longest token has 16 characters: a longer text has more tokens than the model reads. */
const MAX_WINDOW_CHARS = 16 * MODEL_READS_TOKENS;
/** Words with cached token counts, about 100 bytes each. Most words of one text occur in the next. */
const MAX_CACHED_WORDS = 20_000;

export type SplitIntoWindows = (text: string) => string[];

/**
 * Splits a text into windows that the model reads whole: as many words as fit, separated by single blanks, and at most
 * four windows. Each window begins with the text's heading, a first line followed by a blank line, because a command
 * alone has little meaning. A text that fits is its own only window, unchanged.
 */
export function createWindowSplitter(countTokens: CountTokens): SplitIntoWindows {
  const counts = new Map<string, number>();
  const tokensOf = (word: string): number => {
    const count = counts.get(word) ?? countTokens(word);
    if (counts.size >= MAX_CACHED_WORDS) counts.clear();
    counts.set(word, count);
    return count;
  };
  // The model's tokens do not span blanks: counts of words add up.
  const sumOf = (words: readonly string[]): number => words.reduce((sum, word) => sum + tokensOf(word), 0);

  return (text) => {
    if (text.length <= MAX_WINDOW_CHARS && countTokens(text) <= MODEL_READS_TOKENS) return [text];
    const [, heading = "", body = text] = /^([^\n]+)\n\n(.+)$/s.exec(text) ?? [];
    const isShort = heading.length <= MAX_WINDOW_CHARS && sumOf(wordsOf(heading)) <= MAX_HEADING_TOKENS;
    const repeatedWords = isShort ? wordsOf(heading) : [];
    const room = MODEL_READS_TOKENS - sumOf(repeatedWords);

    const windows: string[][] = [];
    let used = room;
    for (const word of wordsOf(isShort ? body : text)) {
      const tokens = tokensOf(word);
      if (used + tokens > room) {
        windows.push([...repeatedWords]);
        used = 0;
      }
      windows.at(-1)?.push(word);
      used += tokens;
    }
    // A text of blanks alone has no words, but the model has a vector for it.
    return windows.length === 0 ? [text] : spread(windows, MAX_WINDOWS).map((words) => words.join(" "));
  };
}

/**
 * Embeds texts of any length. The vector of a text with one window is the model's own, unchanged. Of several windows it
 * is the mean of their vectors weighted by tokens, scaled to unit length. The token count is the sum of all windows.
 */
export function embedInWindows(split: SplitIntoWindows, embed: Embed): Embed {
  return async (texts, signal) => {
    const windows = texts.map(split);
    const batch = await embed(windows.flat(), signal);
    const result: EmbeddedBatch = { vectors: [], tokens: [] };
    let start = 0;
    for (const { length } of windows) {
      const tokens = batch.tokens.slice(start, start + length);
      result.vectors.push(meanDirection(batch.vectors.slice(start, start + length), tokens));
      result.tokens.push(tokens.reduce((sum, count) => sum + count, 0));
      start += length;
    }
    return result;
  };
}

/** At most `count` items, evenly spaced from the first to the last. */
function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))]).filter(
    (item) => item !== undefined,
  );
}

function wordsOf(text: string): string[] {
  return text.match(new RegExp(`\\S{1,${MAX_WORD_CHARS}}`, "gu")) ?? [];
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
