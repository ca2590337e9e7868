// Helpers for tests of the jobs: past answers in sessions, their records in both stores, and stores that fail on demand.

import { DependencyError } from "../../../functions/dependencies.ts";
import { pastAnswerRow } from "../../../functions/memory/past-answers.ts";
import type { Services } from "../../../functions/services.ts";
import { sql } from "../support/harness.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The last turn of the tests' sessions, long before the start of the harness's clock. */
export const LAST_TURN = new Date("2026-02-01T12:00:00Z");

/** A UUID made from a number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${number.toString().padStart(12, "0")}`;
}

/** The same services at another time. */
export function at(services: Services, time: Date): Services {
  return { ...services, now: () => new Date(time) };
}

export function shift(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

/** Stores turns of a session, a minute apart, the last one at LAST_TURN; their ids are uuid(first), uuid(first + 1), … */
export async function storeTurns(
  services: Services,
  session: {
    readonly id?: string;
    readonly domain?: string;
    readonly count: number;
    readonly first?: number;
  },
): Promise<string[]> {
  const { id = "on-call-2026-02-01", domain = "docker", count, first = 1 } = session;
  const ids = Array.from({ length: count }, (_, i) => uuid(first + i));
  for (const [i, memoryId] of ids.entries()) {
    const createdAt = shift(LAST_TURN, (i - count + 1) * MINUTE_MS);
    const memory = {
      id: memoryId,
      domain,
      sessionId: id,
      triageId: null,
      createdAt,
      question: `why did worker ${i + 1} of ${id} stop?`,
      answer: `Worker ${i + 1} ran out of memory.`,
      isSummary: false,
    };
    const now = createdAt.toISOString();
    await services.database.call("record_past_answer", { p: pastAnswerRow(memory), p_now: now, p_claim_until: now });
  }
  return ids;
}

/** The past answers of a session in Postgres: summaries, answers that are recalled themselves, and compressed answers. */
export async function pastAnswersOf(sessionId = "on-call-2026-02-01") {
  const rows =
    await sql`select id, question, answer, net_rating, created_at, is_summary, summary_id, compressed_at, domain
    from public.past_answers where session_id = ${sessionId} order by created_at, id`;
  return {
    summaries: rows.filter(({ is_summary }) => is_summary),
    raw: rows.filter(({ is_summary, compressed_at }) => !is_summary && compressed_at === null),
    compressed: rows.filter(({ is_summary, compressed_at }) => !is_summary && compressed_at !== null),
  };
}

/** The ids in the vector store. */
export async function indexedIds(services: Services, collection: string): Promise<string[]> {
  const texts = await services.vectors.find(collection, { limit: 1_000 });
  return texts.map(({ id }) => id).sort();
}

export async function documentIds(collection: string): Promise<string[]> {
  const rows = await sql`select d.id from public.documents d join public.collections c on c.id = d.collection_id
    where c.name = ${collection} order by d.id`;
  return rows.map(({ id }) => String(id));
}

/**
 * The same services with one failing call to the stores: call number `failing`, counted from 1 over all stores. With
 * `whenReached`, the call takes effect first and only its result is lost.
 */
export function failingCall(services: Services, failing: number, { whenReached }: { readonly whenReached: boolean }) {
  let calls = 0;
  const guard = async <T>(dependency: "database" | "vector_store" | "embedder", call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls !== failing) return call();
    if (whenReached) await call();
    throw new DependencyError(dependency, "unreachable", "the connection was cut by the test");
  };
  const { database, vectors, embedder } = services.background;
  const background: Services["background"] = {
    database: {
      call: (name, args, schema, options) => guard("database", () => database.call(name, args, schema, options)),
    },
    embedder: { ...embedder, embed: (texts) => guard("embedder", () => embedder.embed(texts)) },
    vectors: {
      ...vectors,
      store: (collection, records) => guard("vector_store", () => vectors.store(collection, records)),
      delete: (collection, ids) => guard("vector_store", () => vectors.delete(collection, ids)),
    },
  };
  return { services: { ...services, background }, wasReached: () => calls >= failing };
}
