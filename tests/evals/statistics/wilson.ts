// Owns how sure a share is. Pure.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The standard normal's 97.5 % point: intervals of 95 %. */
const Z_95 = 1.959964;

/**
 * The interval in which the true share lies with 95 % confidence, 0 to 1; it holds up where `count` is small and where the
 * share is 0 or 1. From 0 to 1 where nothing was counted.
 *
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
 *
 * @param share 0 to 1, what was observed
 * @param count how many independent observations it rests on
 */
export function wilsonInterval(share: number, count: number): Interval {
  if (count === 0) return { low: 0, high: 1 };
  const zz = Z_95 ** 2;
  const centre = (share + zz / (2 * count)) / (1 + zz / count);
  const half = (Z_95 / (1 + zz / count)) * Math.sqrt((share * (1 - share)) / count + zz / (4 * count ** 2));
  // Exact at the ends, where rounding would leave the share a hair outside.
  return { low: Math.min(share, Math.max(0, centre - half)), high: Math.max(share, Math.min(1, centre + half)) };
}
