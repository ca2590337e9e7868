// Owns quantiles of a sample. Pure.

/**
 * The value below which the given part of the sample lies, interpolated between its neighbours; null of an empty sample.
 *
 * Source: type 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50
 * (1996).
 *
 * @param part 0 to 1
 */
export function quantile(sample: readonly number[], part: number): number | null {
  const sorted = sample.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (place - Math.floor(place));
}
