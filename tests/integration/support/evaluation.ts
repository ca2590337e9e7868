// Helpers for tests of the evaluation: a clock without real waits, and the number of stored records.

import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import type { Clock } from "../../evals/runner/dejavu-client.ts";
import { sql } from "./harness.ts";

/** A clock that does not tick. A pause is recorded and advances it at once. */
export function testClock(): Clock & { readonly pauses: number[]; advance(ms: number): void } {
  const pauses: number[] = [];
  let now = 0;
  const advance = (ms: number) => {
    now += ms;
  };
  return {
    pauses,
    advance,
    now: () => now,
    pause: async (ms, cancelled) => {
      cancelled?.throwIfAborted();
      pauses.push(ms);
      advance(ms);
    },
  };
}

/** Tables that a deletion changes on purpose or that only grow: audit trail, outbox, counters. */
const NOT_COUNTED = ["audit_events", "outbox", "collections", "metric_counters", "metric_increments"];

/** The number of rows of each table and of records of each collection. */
export async function everythingCounted(vectors: VectorStore): Promise<Record<string, number>> {
  const tables = await sql`select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    if (NOT_COUNTED.includes(String(name))) continue;
    const [row] = await sql`select count(*)::int as count from ${sql(`public.${name}`)}`;
    counts[String(name)] = Number(row?.count);
  }
  for (const collection of COLLECTIONS) counts[collection] = (await vectors.find(collection, { limit: 1_000 })).length;
  return counts;
}
