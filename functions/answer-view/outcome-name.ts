// The outcome of an answer as people read it, one name everywhere.

const NAMES: Readonly<Record<string, string>> = {
  cause: "Known failure",
  possible: "Possible",
  unknown: "Unknown",
  benign: "No incident",
};

export function outcomeName(outcome: string): string {
  return NAMES[outcome] ?? outcome;
}
