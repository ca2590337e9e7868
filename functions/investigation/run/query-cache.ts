// Results of queries to sources of evidence, by isolate. In an alert storm, many triages ask the same within seconds.

import { setBounded } from "../../bounded-map.ts";
import { DependencyError, type Settled } from "../../dependencies.ts";
import type { QueryResult } from "../../schemas/evidence/query.ts";

export interface QueryOutcome {
  /** When the source was asked. */
  readonly at: Date;
  readonly result: Settled<QueryResult>;
}

export interface QueryCache {
  /**
   * The outcome of the same query within the last minute, else that of `ask`. A caller joins a query in progress, at most
   * for its own time.
   * @param key identifies the source and the query
   */
  get(
    key: string,
    ask: () => Promise<QueryOutcome>,
    call: { readonly now: Date; readonly timeoutMs: number },
  ): Promise<QueryOutcome>;
}

interface Entry {
  readonly startedAt: number;
  readonly timeoutMs: number;
  readonly outcome: Promise<QueryOutcome>;
}

/** Results of one isolate; each is at most 256 KB, and most have a few values. */
const MAX_ENTRIES = 200;

/** @param reuseMs how long an outcome counts for other triages */
export function createQueryCache(reuseMs: number): QueryCache {
  const entries = new Map<string, Entry>();
  return {
    async get(key, ask, { now, timeoutMs }) {
      const cached = entries.get(key);
      const isFresh = cached !== undefined && Math.abs(now.getTime() - cached.startedAt) < reuseMs;
      if (isFresh) {
        const joined = await within(cached.outcome, timeoutMs, now);
        // A failure counts for callers that would not have waited longer.
        if (joined.result.ok || cached.timeoutMs >= timeoutMs) return joined;
      }
      const outcome = ask();
      setBounded(entries, key, { startedAt: now.getTime(), timeoutMs, outcome }, MAX_ENTRIES);
      const { result } = await outcome;
      const isCancelled = !result.ok && result.error.failure === "cancelled";
      if (isCancelled && entries.get(key)?.outcome === outcome) entries.delete(key);
      return outcome;
    },
  };
}

/** A Worker drops the work of a request whose caller disconnects: its promise then never settles. */
async function within(outcome: Promise<QueryOutcome>, timeoutMs: number, now: Date): Promise<QueryOutcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<QueryOutcome>((resolve) => {
    timer = setTimeout(() => {
      const detail = `another triage's query has no answer after ${timeoutMs} ms`;
      resolve({ at: now, result: { ok: false, error: new DependencyError("evidence_source", "timeout", detail) } });
    }, timeoutMs);
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
