// Owns the times of alerts: those that a start may have, and which ends are ends. Pure.

import { z } from "@hono/zod-openapi";

/** The years that are believed; JavaScript and Postgres hold all times in them, in every time zone. */
const [FIRST_YEAR, LAST_YEAR] = [2000, 2100];

/** To the nanosecond, with any offset. */
const text = z.iso.datetime({ offset: true });
const asDate = (value: string) => new Date(value);

export const time = text.transform(asDate).openapi({ type: "string", format: "date-time" });

export const startTime = text
  .refine((value) => isTrustedCause(new Date(value)), `must be in the years ${FIRST_YEAR} to ${LAST_YEAR}`)
  .transform(asDate)
  .openapi({ type: "string", format: "date-time" });

/** The end, if it is one: Go's zero time and any other before the start say that it has not ended, or not when. */
export function endAfter(start: Date, end: Date | undefined): Date | null {
  return end === undefined || end < start || !isTrustedCause(end) ? null : end;
}

function isTrustedCause(value: Date): boolean {
  return value.getUTCFullYear() >= FIRST_YEAR && value.getUTCFullYear() <= LAST_YEAR;
}
