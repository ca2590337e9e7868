// When an incident started. Pure functions.

interface Started {
  readonly created_at: string;
  readonly alerts: { readonly latest: readonly { readonly starts_at: string | null }[] };
}

/** The earliest start of its alerts, else its report. @returns seconds since 1970 */
export function startOf({ created_at, alerts }: Started): number {
  const starts = alerts.latest.flatMap(({ starts_at }) => (starts_at === null ? [] : [Date.parse(starts_at)]));
  return Math.min(...(starts.length > 0 ? starts : [Date.parse(created_at)])) / 1_000;
}
