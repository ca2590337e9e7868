// Periods of whole UTC days that end today. Pure functions.

const DAY_MS = 86_400_000;

/** The start of the UTC day `days - 1` days ago, so that the period has `days` days with today. */
export function startOfPeriod(now: Date, days: number): Date {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return new Date(today - (days - 1) * DAY_MS);
}

/** The days of the period as YYYY-MM-DD, oldest first. */
export function daysOfPeriod(now: Date, days: number): string[] {
  const start = startOfPeriod(now, days).getTime();
  return Array.from({ length: days }, (_, i) => new Date(start + i * DAY_MS).toISOString().slice(0, 10));
}
