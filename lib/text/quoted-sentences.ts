// Removal of sentences that repeat other texts, so that recalled text is not learned a second time. Pure functions.

/** Consecutive words that are compared as one unit. */
const NGRAM_LENGTH = 5;
/** Shorter sentences are kept: they recur by chance. */
const MIN_WORDS = 8;
/** A sentence is a repetition when at least this share of its n-grams occur in the sources. */
const REPEATED_SHARE = 0.6;
const WORD = /[\p{L}\p{N}]+/gu;

/** Removes the sentences that repeat the sources nearly word for word. Keeps line breaks; drops emptied lines. */
export function withoutQuotedSentences(text: string, sources: readonly string[]): string {
  const sourceNgrams = new Set(sources.flatMap((source) => ngramsOf(wordsOf(source))));
  const isRepeated = (sentence: string): boolean => {
    const words = wordsOf(sentence);
    if (words.length < MIN_WORDS) return false;
    const ngrams = ngramsOf(words);
    return ngrams.filter((ngram) => sourceNgrams.has(ngram)).length >= REPEATED_SHARE * ngrams.length;
  };
  return text
    .split("\n")
    .map((line) => sentencesOf(line).filter((sentence) => !isRepeated(sentence)))
    .flatMap((sentences) =>
      sentences.some((sentence) => wordsOf(sentence).length > 0) ? [sentences.join(" ").trimEnd()] : [],
    )
    .join("\n");
}

function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?])\s+/);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function ngramsOf(words: readonly string[]): string[] {
  return words.flatMap((_, i) =>
    i + NGRAM_LENGTH <= words.length ? [words.slice(i, i + NGRAM_LENGTH).join(" ")] : [],
  );
}
