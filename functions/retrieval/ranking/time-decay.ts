// Owns how age lowers a score.

const DAY_MS = 86_400_000;

/**
 * Exponential time decay: 0.5 ^ (age / half-life), 1 for anything not older than `now`.
 *
 * @param writtenAt when the document was written
 * @param halfLifeDays days after which half of the weight is left; greater than 0
 * @returns a factor in (0, 1]
 */
export function timeDecay(writtenAt: Date, now: Date, halfLifeDays: number): number {
  const ageDays = Math.max(0, now.getTime() - writtenAt.getTime()) / DAY_MS;
  return 0.5 ** (ageDays / halfLifeDays);
}
