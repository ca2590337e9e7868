// Rows that this isolate has read. A request names the hashes of those that it has, and Postgres returns the others: similar
// reports read the same runbooks and records again and again.

import { z } from "zod";
import { setBounded } from "../bounded-map.ts";

type UnlessCached<T> = { readonly hash: string; readonly row: T } | { readonly id: string };

/** Rows that a request asks for, as the SQL function `unless_cached` returns them: the values of a row after its hash, or the id of one that the isolate has. */
export function unlessCachedSchema<T>(row: z.ZodType<T>) {
  const values = z.tuple([z.string()], z.unknown());
  return z
    .object({ columns: z.array(z.string()), rows: z.array(z.union([z.string(), values])) })
    .transform(({ columns, rows }) =>
      rows.map((each): UnlessCached<unknown> => {
        if (typeof each === "string") return { id: each };
        const [hash, ...cells] = each;
        return { hash, row: Object.fromEntries(columns.map((column, i) => [column, cells[i]])) };
      }),
    )
    .pipe(z.array(z.union([z.object({ hash: z.string(), row }), z.object({ id: z.string() })])));
}

export interface CachedRows<T> {
  /** Hashes by id, for the request. */
  readonly hashes: Readonly<Record<string, string>>;
  /** All rows of the answer, in its order. */
  read(answer: readonly UnlessCached<T>[]): T[];
}

export interface RowCache<T> {
  /** The rows of these ids that the isolate has now. An entry that is dropped meanwhile still counts for this request. */
  cachedOf(ids: readonly string[]): CachedRows<T>;
}

/** @param limit rows that are kept; the oldest are dropped */
export function createRowCache<T extends { readonly id: string }>(limit: number): RowCache<T> {
  const entries = new Map<string, { readonly hash: string; readonly row: T }>();
  return {
    cachedOf(ids) {
      const cached = new Map(
        ids.flatMap((id) => {
          const entry = entries.get(id);
          return entry === undefined ? [] : [[id, entry] as const];
        }),
      );
      return {
        hashes: Object.fromEntries([...cached].map(([id, { hash }]) => [id, hash])),
        read: (answer) =>
          answer.flatMap((each) => {
            const entry = "row" in each ? each : cached.get(each.id);
            if (entry === undefined) return [];
            setBounded(entries, entry.row.id, entry, limit);
            return [entry.row];
          }),
      };
    },
  };
}
