// What tests of the evaluation share: a clock that nobody waits for, and a count of all that is remembered.

import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import type { Clock } from "../../evals/runner/dejavu-client.ts";
import { sql } from "./harness.ts";

/** Stands still; waits are told and not waited for. */
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

/** The trail that forgetting leaves on purpose, what is owed by then, and what is only ever counted up. */
const NOT_REMEMBERED = ["audit_events", "outbox", "collections", "metric_counters", "metric_increments"];

/** Rows of every table and records of every collection that hold what is remembered. */
export async function everythingCounted(vectors: VectorStore): Promise<Record<string, number>> {
  const tables = await sql`select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    if (NOT_REMEMBERED.includes(String(name))) continue;
    const [row] = await sql`select count(*)::int as count from ${sql(`public.${name}`)}`;
    counts[String(name)] = Number(row?.count);
  }
  for (const collection of COLLECTIONS) counts[collection] = (await vectors.find(collection, { limit: 1_000 })).length;
  return counts;
}
