// Start and end times of alerts. Pure functions.

import { z } from "@hono/zod-openapi";

/** Times outside these years are clock errors. JavaScript and Postgres hold all times within them in every time zone. */
const [FIRST_YEAR, LAST_YEAR] = [2000, 2100];
export const YEARS_MESSAGE = `must be in the years ${FIRST_YEAR} to ${LAST_YEAR}`;

/** ISO 8601 with any offset and up to nanoseconds. */
const isoTime = z.iso.datetime({ offset: true });
const asDate = (value: string) => new Date(value);

export const time = isoTime.transform(asDate).openapi({ type: "string", format: "date-time" });

export const startTime = isoTime
  .refine((value) => isPlausible(new Date(value)), YEARS_MESSAGE)
  .transform(asDate)
  .openapi({ type: "string", format: "date-time" });

/** The end, or null: Go's zero time and every other end before the start mean "not ended" or "unknown". */
export function endAfter(start: Date, end: Date | undefined): Date | null {
  return end === undefined || end < start || !isPlausible(end) ? null : end;
}

export function isPlausible(value: Date): boolean {
  return value.getUTCFullYear() >= FIRST_YEAR && value.getUTCFullYear() <= LAST_YEAR;
}
