// The outcome of an answer, and the fix of a past incident, in every text that people read.

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
