// The mechanisms of a failure as search terms: equal for one cause in unlike systems. Pure function.

/** Share of the heaviest mechanism's weight. Lighter ones are hints. */
const MIN_SHARE = 0.3;
const MAX_MECHANISMS = 8;

/** `memory-exhausted`, `killed-by-signal`: the names of the mechanisms that describe a failure, the heaviest first, at most 8. */
export function mechanismTerms(mechanisms: Readonly<Record<string, number>>): string[] {
  const sorted = Object.entries(mechanisms).sort((a, b) => b[1] - a[1]);
  const heaviest = sorted[0]?.[1] ?? 0;
  return sorted
    .filter(([, weight]) => weight >= heaviest * MIN_SHARE)
    .slice(0, MAX_MECHANISMS)
    .map(([name]) => name);
}
