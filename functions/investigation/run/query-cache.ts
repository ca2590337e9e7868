// Results of queries to sources of evidence, by isolate. In an alert storm, many triages ask the same within seconds.

import type { QueryResult } from "../../../lib/checks/scope/query.ts";
import { setBounded } from "../../bounded-map.ts";
import { DependencyError, type Settled } from "../../dependencies.ts";
import { type StartTimer, within } from "../../timers.ts";

export interface QueryOutcome {
  /** When the source was asked. */
  readonly at: Date;
  readonly result: Settled<QueryResult>;
}

export interface QueryCache {
  /**
   * The outcome of the same query within the last `reuseMs`, else that of `ask`. A caller joins a query in progress for at
   * most `timeoutMs`, and asks itself if the first caller had less time and failed.
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
  isSettled: boolean;
}

/** Results of one isolate. Larger ones are not kept: most have a few values. */
const MAX_ENTRIES = 200;
const MAX_KEPT_CHARACTERS = 32_768;

/** @param reuseMs how long an outcome counts for other triages */
export function createQueryCache(reuseMs: number, startTimer: StartTimer): QueryCache {
  const entries = new Map<string, Entry>();
  const isUsable = ({ startedAt, timeoutMs, isSettled }: Entry, now: Date) => {
    // A clock may be set back.
    const age = Math.abs(now.getTime() - startedAt);
    // The request of an unsettled query beyond its time was dropped.
    return age < reuseMs && (isSettled || age <= timeoutMs);
  };
  const start = async (key: string, ask: () => Promise<QueryOutcome>, call: { now: Date; timeoutMs: number }) => {
    const outcome = ask();
    const entry = { startedAt: call.now.getTime(), timeoutMs: call.timeoutMs, outcome, isSettled: false };
    setBounded(entries, key, entry, MAX_ENTRIES);
    const forget = () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    try {
      const { result } = await outcome;
      entry.isSettled = true;
      const isKept = result.ok
        ? JSON.stringify(result.value).length <= MAX_KEPT_CHARACTERS
        : result.error.failure !== "cancelled";
      if (!isKept) forget();
      return await outcome;
    } catch (error) {
      forget();
      throw error;
    }
  };
  return {
    async get(key, ask, { now, timeoutMs }) {
      for (const [name, entry] of entries) if (!isUsable(entry, now)) entries.delete(name);
      const cached = entries.get(key);
      if (cached) {
        // A Worker drops the work of a request whose caller disconnects: its promise then never settles.
        const deadline = { startTimer, name: "shared_query", ms: timeoutMs } as const;
        const { at, result } = await within(deadline, cached.outcome, () => lateOutcome(now, timeoutMs));
        // A failure counts for callers that would not have waited longer; that of a caller who left counts for no other.
        if (result.ok || (cached.timeoutMs >= timeoutMs && result.error.failure !== "cancelled")) return { at, result };
      }
      return start(key, ask, { now, timeoutMs });
    },
  };
}

function lateOutcome(at: Date, timeoutMs: number): QueryOutcome {
  const detail = `another triage's query has no answer after ${timeoutMs} ms`;
  return { at, result: { ok: false, error: new DependencyError("evidence_source", "timeout", detail) } };
}
