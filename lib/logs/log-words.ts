// The words of a whole log: they recognise evidence in which no line shows a failure by itself. Pure functions.

import { tokenizeWords } from "../text/tokenize.ts";
import { templateOf, wordsOfTemplate } from "./line-template.ts";

/** Lines that are read: of a longer log the first and the last. */
const MAX_LINES = 200;
const MAX_WORDS = 240;
const MAX_WORD_LENGTH = 40;

/**
 * The distinct terms of the log's lines without names, numbers and times, in the order of the log, at most 240.
 * @param names of the affected objects
 */
export function logWords(logs: string, names: readonly string[]): string[] {
  const lines = logs.split("\n");
  const half = MAX_LINES / 2;
  const read = lines.length <= MAX_LINES ? lines : [...lines.slice(0, half), ...lines.slice(-half)];
  const templates = new Set(read.map((line) => templateOf(line, names)));
  const words = new Set<string>();
  for (const template of templates)
    for (const word of tokenizeWords(wordsOfTemplate(template).join(" "))) {
      if (word.length <= MAX_WORD_LENGTH && !/^\d+$/.test(word)) words.add(word);
      if (words.size === MAX_WORDS) return [...words];
    }
  return [...words];
}
