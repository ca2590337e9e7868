// The errors that a person quotes in a sentence. Pure functions, linear in the text.

import { weighLine } from "./weigh-line.ts";
import { isWritten } from "./written-line.ts";

/** Words between marks that stand at the ends of words: the one in "You can't write" ends nothing. */
const QUOTATION = /(?<![\p{L}\p{N}])["'`“‘«„](\S[^\n]{8,400}?)["'`”’»“](?![\p{L}\p{N}])/gu;
const THREE_WORDS = /\S\s+\S+\s+\S/;
/** Lighter words are a name, a command or a setting. */
const MIN_WEIGHT = 0.35;

/** One a line; null if there are none, and for a text that a program wrote: it quotes names. */
export function quotedErrors(text: string): string | null {
  const errors = [...text.matchAll(QUOTATION)]
    .map(([, words = ""]) => words.trim())
    .filter((words) => THREE_WORDS.test(words) && weighLine(words).weight >= MIN_WEIGHT);
  const sentence = text.replace(QUOTATION, "").replace(/\s+/g, " ");
  return errors.length > 0 && isWritten(sentence, false) ? errors.join("\n") : null;
}
