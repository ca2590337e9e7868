// How often a failure was reported on each of the last days. Pure functions.

const DAY_MS = 86_400_000;
export const DAYS = 30;

/** Reports of each day in UTC, the oldest first; today is the last. @param now milliseconds since 1970 */
export function reportsByDay(
  days: readonly { readonly day: string; readonly reports: number }[],
  now: number,
): readonly number[] {
  const counts = new Map(days.map(({ day, reports }) => [day, reports]));
  return Array.from({ length: DAYS }, (_, i) => {
    const day = new Date(now - (DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10);
    return counts.get(day) ?? 0;
  });
}

/** Such as `Reported 7 times in 30 days, on 3 days`. */
export function occurrencesText(counts: readonly number[]): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const days = counts.filter((count) => count > 0).length;
  if (total === 0) return `Not reported in the last ${DAYS} days`;
  if (total === 1) return `Reported once in ${DAYS} days`;
  return `Reported ${total} times in ${DAYS} days, on ${days === 1 ? "one day" : `${days} days`}`;
}
