// Owns how lists are paged: a limit, and a cursor that names the last row of the page before. Callers pass it back unread.

import { z } from "@hono/zod-openapi";

/** Room for the longest session id in any script. */
const MAX_CURSOR_LENGTH = 2_000;

/** Times that Postgres and JavaScript both know; nothing was reported outside of them. */
export const cursorTime = z.iso
  .datetime({ offset: true })
  .regex(/^20\d\d-/)
  .transform((time) => new Date(time).toISOString());

/** The place of a row in a list by time. */
export const timeAndId = z.tuple([cursorTime, z.uuid()]).transform(([at, id]) => ({ at, id }));

/** The query parameters of a list whose cursors hold `place`. */
export function pageQuery<T>(place: z.ZodType<T>) {
  return {
    limit: z.coerce.number().int().min(1).max(100).default(20),
    cursor: z
      .string()
      .max(MAX_CURSOR_LENGTH)
      .transform((cursor, context): T => {
        const parsed = place.safeParse(decode(cursor));
        if (parsed.success) return parsed.data;
        context.addIssue({ code: "custom", message: "is not a cursor of this list; use next_cursor unchanged" });
        return z.NEVER;
      })
      .optional()
      .openapi({ type: "string", description: "`next_cursor` of the page before." }),
  };
}

/** @param rows one more than `limit` where there is a next page; the cursor is made of `placeOf` the last row shown */
export function pageOf<Row>(rows: readonly Row[], limit: number, placeOf: (row: Row) => readonly (string | number)[]) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last !== undefined ? encode(placeOf(last)) : null };
}

function encode(place: readonly (string | number)[]): string {
  return btoa(encodeURIComponent(JSON.stringify(place)));
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(atob(cursor)));
  } catch {
    return undefined;
  }
}
