// The mechanisms of a failure as search terms: equal for one cause in unlike systems. Pure function.

import { readMechanisms } from "./read-mechanisms.ts";

/** Weaker mechanisms are hints. */
const MIN_STRENGTH = 0.5;
const MAX_MECHANISMS = 8;

/** `memory-exhausted`, `killed-by-signal`: the names of the mechanisms of a text, the surest first, at most 8. */
export function mechanismTerms(text: string): string[] {
  return [...readMechanisms(text)]
    .filter(([, strength]) => strength >= MIN_STRENGTH)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_MECHANISMS)
    .map(([name]) => name);
}
