// Whether a single line of a log shows an error.

import { weighLine } from "./weigh-line.ts";

/** The weight of lines that a shortened log keeps. */
const MIN_WEIGHT = 0.35;

export function isErrorLine(line: string): boolean {
  return weighLine(line.trim()).weight >= MIN_WEIGHT;
}
