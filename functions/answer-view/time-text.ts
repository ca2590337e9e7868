// Times and spans in words. Pure functions.

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1_440;

/** `40 min`, `3 h`, `2 days` */
export function spanOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  if (minutes < 2 * HOUR_MINUTES) return `${minutes} min`;
  if (minutes < 2 * DAY_MINUTES) return `${Math.round(minutes / HOUR_MINUTES)} h`;
  return `${Math.round(minutes / DAY_MINUTES)} days`;
}

/** As `spanOf`, of minutes. */
export function minutesText(minutes: number): string {
  return spanOf(minutes * MINUTE_MS);
}

/** `2026-03-01 03:00` in UTC. */
export function minuteOf(time: string | Date): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

/** `2026-03-01 03:00 to 04:10 UTC`; `since 2026-03-01 03:00 UTC` without an end. */
export function periodOf(from: string, to: string | null): string {
  const start = minuteOf(from);
  if (to === null) return `since ${start} UTC`;
  const end = minuteOf(to);
  return `${start} to ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end} UTC`;
}
