// Keyset pagination: a limit, and an opaque cursor that encodes the position of the last row of the previous page.

import { z } from "@hono/zod-openapi";

/** Fits the longest session id in any script. */
const MAX_CURSOR_LENGTH = 2_000;

/** Times within the ranges of both Postgres and JavaScript. */
export const cursorTime = z.iso
  .datetime({ offset: true })
  .regex(/^20\d\d-/)
  .transform((time) => new Date(time).toISOString());

/** Cursor position in a list by time. */
export const timeAndId = z.tuple([cursorTime, z.uuid()]).transform(([at, id]) => ({ at, id }));

/** The query parameters of a list whose cursor encodes a `position`. */
export function pageQuery<T>(position: z.ZodType<T>) {
  return {
    limit: z.coerce.number().int().min(1).max(100).default(20),
    cursor: z
      .string()
      .max(MAX_CURSOR_LENGTH)
      .transform((cursor, context): T => {
        const parsed = position.safeParse(decode(cursor));
        if (parsed.success) return parsed.data;
        context.addIssue({ code: "custom", message: "is not a cursor of this list; use next_cursor unchanged" });
        return z.NEVER;
      })
      .optional()
      .openapi({ type: "string", description: "`next_cursor` of the previous page." }),
  };
}

/** @param rows one more than `limit` if there is a next page. The cursor encodes `positionOf` the last row of the page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly (string | number)[],
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last !== undefined ? encode(positionOf(last)) : null };
}

function encode(position: readonly (string | number)[]): string {
  return btoa(encodeURIComponent(JSON.stringify(position)));
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(atob(cursor)));
  } catch {
    return undefined;
  }
}
