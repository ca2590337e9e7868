// Exponential time decay of scores.

const DAY_MS = 86_400_000;

/**
 * Returns 0.5 ^ (age / half-life), and 1 for a time in the future.
 *
 * @param writtenAt when the document was written
 * @param halfLifeDays age in days at which the factor is 0.5; greater than 0
 * @returns a factor in (0, 1]
 */
export function timeDecay(writtenAt: Date, now: Date, halfLifeDays: number): number {
  const ageDays = Math.max(0, now.getTime() - writtenAt.getTime()) / DAY_MS;
  return 0.5 ** (ageDays / halfLifeDays);
}
