// The outcome of an answer, and the fix of a past incident, in every text that people read.

import { percentOf } from "./percent.ts";

const NAMES: Readonly<Record<string, string>> = {
  cause: "Known failure",
  possible: "Possible",
  unknown: "Unknown",
  benign: "No incident",
};

/** The name of the fix of a past incident for a report. */
export const FIXED_BEFORE = "Fixed before";

export function outcomeName(outcome: string): string {
  return NAMES[outcome] ?? outcome;
}

/** Such as `Known failure, 81 %`: what is unknown or no incident has no figure. @param confidence 0 to 1 */
export function outcomeText(outcome: string, confidence: number): string {
  const figure = outcome === "cause" || outcome === "possible" ? `, ${percentOf(confidence)}` : "";
  return `${outcomeName(outcome)}${figure}`;
}
