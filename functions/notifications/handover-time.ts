// When a target gets its handover. Pure functions.

const DAYS: readonly string[] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** `daily 08:00`, `monday 07:30`; in UTC. */
export const HANDOVER_TIME =
  /^(daily|sunday|monday|tuesday|wednesday|thursday|friday|saturday) ([01]\d|2[0-3]):([0-5]\d)$/;

/** The next such time after now; null for another text. */
export function nextHandover(text: string, now: Date): Date | null {
  const [, day = "", hour, minute] = HANDOVER_TIME.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const next = new Date(now);
  next.setUTCHours(Number(hour), Number(minute), 0, 0);
  const weekday = DAYS.indexOf(day);
  const isDue = () => next > now && (weekday === -1 || next.getUTCDay() === weekday);
  while (!isDue()) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}
