// Records of memory whose answers name one failure. Pure functions.

interface FailureRecord {
  readonly domain: string;
  readonly failure?: string | null;
}

/** In the order of their first records; a record whose answers name no failure is alone. */
export function byFailure<T extends FailureRecord>(records: readonly T[]): T[][] {
  return [...Map.groupBy(records, (each) => (each.failure ? `${each.domain} ${each.failure}` : each)).values()];
}
