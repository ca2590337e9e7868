// Wilson score interval of a share. Pure function.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** 97.5 % quantile of the standard normal distribution, for 95 % intervals. */
const Z_95 = 1.959964;

/**
 * The 95 % confidence interval of a share, within 0 to 1. It is valid for a small `count` and for shares of 0 and 1. With a
 * `count` of 0 it is 0 to 1.
 *
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
 *
 * @param share the observed share, 0 to 1
 * @param count number of independent observations
 */
export function wilsonInterval(share: number, count: number): Interval {
  if (count === 0) return { low: 0, high: 1 };
  const zz = Z_95 ** 2;
  const centre = (share + zz / (2 * count)) / (1 + zz / count);
  const half = (Z_95 / (1 + zz / count)) * Math.sqrt((share * (1 - share)) / count + zz / (4 * count ** 2));
  // Rounding at 0 and 1 must not put the share outside its interval.
  return { low: Math.min(share, Math.max(0, centre - half)), high: Math.max(share, Math.min(1, centre + half)) };
}
