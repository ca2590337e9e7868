// Start and end times of alerts. Pure functions.

import { z } from "@hono/zod-openapi";

/** Times outside these years are clock errors. JavaScript and Postgres hold all times within them in every time zone. */
const [FIRST_YEAR, LAST_YEAR] = [2000, 2100];
/** Tolerance for clocks that differ. */
const MAX_AHEAD_MS = 300_000;

/** ISO 8601 with any offset and up to nanoseconds. */
const isoTime = z.iso.datetime({ offset: true });

export const time = isoTime.transform((value) => new Date(value)).openapi({ type: "string", format: "date-time" });

/** The same, and undefined for every other value: a wrong time is no reason to lose an alert. */
export const optionalTime = z
  .custom<string | null>()
  .optional()
  .transform((value) => time.safeParse(value).data)
  .openapi({ type: "string", format: "date-time" });

export type AlertStart = { readonly startsAt: Date; readonly startReported: boolean };

/** The start that the sender reports. A missing one, Go's zero time and the future are replaced by the time of receipt. */
export function startOf(start: Date | undefined, receivedAt: Date): AlertStart {
  const isUsable = start !== undefined && isPlausible(start) && start.getTime() <= receivedAt.getTime() + MAX_AHEAD_MS;
  return isUsable ? { startsAt: start, startReported: true } : { startsAt: receivedAt, startReported: false };
}

/** The end, or null: Go's zero time and every other end before the start mean "not ended" or "unknown". */
export function endAfter(start: Date, end: Date | undefined): Date | null {
  return end === undefined || end < start || !isPlausible(end) ? null : end;
}

export function isPlausible(value: Date): boolean {
  return value.getUTCFullYear() >= FIRST_YEAR && value.getUTCFullYear() <= LAST_YEAR;
}
