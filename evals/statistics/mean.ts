// Mean of a sample, and a filter for missing values. Pure functions.

/** Null for an empty sample. */
export function mean(sample: readonly number[]): number | null {
  return sample.length === 0 ? null : sample.reduce((sum, each) => sum + each, 0) / sample.length;
}

export function present<T>(values: readonly (T | null | undefined)[]): T[] {
  return values.filter((each): each is T => each !== null && each !== undefined);
}
