// The error messages that a text quotes, and how much of one an error line of the report holds. Pure functions.

import { meansFailure } from "../../../lib/logs/weigh-line.ts";
import { fenceAfter } from "../../../lib/markdown/fences.ts";
import { rememberTexts } from "../../../lib/text/remembered-texts.ts";
import { sumOf, type WeightedLine } from "./report-terms.ts";

/** One word alone, such as `error`, is no message. */
const MIN_TERMS = 2;
/** The weight of terms in common at which a match counts 1 - 1/e: about five rare words. */
const SURE_WEIGHT = 15;

const IN_BACKTICKS = /`([^`\n]{4,300})`/g;
const PLACEHOLDER = / ?<[^<>\n]{1,40}> ?/g;

/** What the text quotes as words of a program, in backticks or as a line of a code block, if it means a failure. */
export const quotedMessages = rememberTexts((text): readonly string[] => {
  const quoted: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const before = fence;
    fence = fenceAfter(before, line);
    if (before !== undefined && fence !== undefined) quoted.push(line);
    else quoted.push(...Array.from(line.matchAll(IN_BACKTICKS), ([, message = ""]) => message));
  }
  return quoted.map((message) => message.replace(PLACEHOLDER, " ")).filter(meansFailure);
});

/**
 * How much of a quoted message the line holds, 0 to 1: share · (1 − e^(−weight / SURE_WEIGHT)). `weight` is that of the heaviest
 * neighbouring terms in common, `share` its part of the message. What else the line says does not count: a program's name in
 * front of a message makes it no other one. A term that the line lacks weighs as much as its mean term.
 * @param message terms in order
 */
export function messageMatch({ terms: weights, sequence }: WeightedLine, message: readonly string[]): number {
  if (message.length < MIN_TERMS || !message.some((term) => weights.has(term))) return 0;
  const common = heaviestRun(sequence, message, weights);
  if (common === 0) return 0;
  const mean = sumOf(weights) / weights.size;
  const missing = message.filter((term) => !weights.has(term)).length * mean;
  return (common / (common + missing)) * (1 - Math.exp(-common / SURE_WEIGHT));
}

/** The weight of the heaviest terms that follow each other in both; 0 for a single one. */
function heaviestRun(line: readonly string[], message: readonly string[], weights: WeightedLine["terms"]): number {
  let heaviest = 0;
  for (let start = 0; start < line.length; start++) {
    for (let at = 0; at < message.length; at++) {
      let length = 0;
      let weight = 0;
      while (start + length < line.length && line[start + length] === message[at + length]) {
        weight += weights.get(line[start + length] ?? "") ?? 0;
        length += 1;
      }
      if (length >= MIN_TERMS) heaviest = Math.max(heaviest, weight);
    }
  }
  return heaviest;
}
