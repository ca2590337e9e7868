// Owns what of a text is its own: sentences that only repeat what was recalled are not learnt a second time. Pure.

/** Words in a row that are compared. */
const RUN_LENGTH = 5;
/** A shorter sentence names something, as others do too; only a longer one can be taken over. */
const LEAST_WORDS = 8;
/** The share of a sentence's runs that are found elsewhere from which on it is a repetition. */
const REPEATED_SHARE = 0.6;
const WORD = /[\p{L}\p{N}]+/gu;

/** The lines of a text, each without the sentences that repeat one of the known texts nearly word for word. */
export function withoutQuotedSentences(text: string, known: readonly string[]): string {
  const knownRuns = new Set(known.flatMap((each) => runsOf(wordsOf(each))));
  const isRepeated = (sentence: string): boolean => {
    const words = wordsOf(sentence);
    if (words.length < LEAST_WORDS) return false;
    const runs = runsOf(words);
    return runs.filter((run) => knownRuns.has(run)).length >= REPEATED_SHARE * runs.length;
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

function runsOf(words: readonly string[]): string[] {
  return words.flatMap((_, i) => (i + RUN_LENGTH <= words.length ? [words.slice(i, i + RUN_LENGTH).join(" ")] : []));
}
