// Records of memory that are one failure. Pure functions.

interface FailureRecord {
  readonly id: string;
  readonly failure_id?: string | undefined;
}

/** In the order of their first records. */
export function byFailure<T extends FailureRecord>(records: readonly T[]): T[][] {
  return [...Map.groupBy(records, ({ id, failure_id }) => failure_id ?? id).values()];
}
