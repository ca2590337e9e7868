// Waits until nothing is pending, and compares the vector index with the documents of the database.

import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { callCron } from "../../dev/stack/services/worker.ts";
import type { Stack } from "../../dev/stack/stack.ts";
import { SCHEDULE } from "../../functions/jobs/schedule.ts";
import type { Services } from "../../functions/services.ts";

const POLL_MS = 5_000;
/** Longer than the longest pause between two tries of an outbox entry, an hour, is never needed: the run makes them due. */
const MAX_WAIT_MS = 30 * 60_000;
const PAGE = 300;

export async function withDatabase<T>({ info }: Stack, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(info.urls.postgres, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Runs the jobs that an ephemeral stack does not run by itself, until no incident waits and no index write is pending. */
export async function drainQueues(stack: Stack): Promise<void> {
  const end = Date.now() + MAX_WAIT_MS;
  await withDatabase(stack, async (sql) => {
    while (Date.now() < end) {
      // What waits for a later try is due now: nothing is unavailable any more.
      await sql`update public.outbox set next_attempt_at = now() where done_at is null and next_attempt_at > now() + interval '1 minute'`;
      for (const job of ["retry-outbox", "recover-stuck-runs"] as const)
        await callCron(stack.info.urls.worker, SCHEDULE[job].cron).catch(() => {});
      const [row] = await sql`select (select count(*) from public.outbox where done_at is null)::int as pending,
        (select count(*) from public.incidents where status in ('queued', 'investigating'))::int as waiting`;
      if (row?.pending === 0 && row.waiting === 0) return;
      await delay(POLL_MS);
    }
    throw new Error("Entries are still pending after half an hour.");
  });
}

/** "index: 1,234 documents, 0 missing, 0 left over, 0 twice" */
export async function compareIndex(stack: Stack, { vectors }: Services): Promise<string> {
  const rows = await withDatabase(
    stack,
    (sql) => sql<{ collection: string; id: string }[]>`
      select c.name as collection, d.id from public.documents d join public.collections c on c.id = d.collection_id`,
  );
  let [missing, leftOver, twice, total] = [0, 0, 0, 0];
  for (const [collection, stored = []] of Map.groupBy(rows, ({ collection }) => collection)) {
    const ids: string[] = [];
    for (let page: string[] | undefined; page === undefined || page.length === PAGE; ) {
      page = await vectors.ids(collection, { offset: ids.length, limit: PAGE });
      ids.push(...page);
    }
    const indexed = new Set(ids);
    const expected = new Set(stored.map(({ id }) => id));
    total += stored.length;
    twice += ids.length - indexed.size;
    missing += expected.difference(indexed).size;
    leftOver += indexed.difference(expected).size;
  }
  const [triages] = await withDatabase(
    stack,
    (sql) => sql`select count(*)::int as all, count(distinct incident_id)::int as incidents from public.triages`,
  );
  return `  index: ${total} documents, ${missing} missing, ${leftOver} left over, ${twice} twice; ${triages?.all} triages of ${triages?.incidents} incidents`;
}
