// The outcome of an answer in every text that people read.

const NAMES: Readonly<Record<string, string>> = {
  cause: "Known failure",
  possible: "Possible",
  unknown: "Unknown",
  benign: "No incident",
};

export function outcomeName(outcome: string): string {
  return NAMES[outcome] ?? outcome;
}
