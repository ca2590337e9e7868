// Helpers for tests of the evaluation: its cases, a runner, a clock without real waits, and the number of stored records.

import { join } from "node:path";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import type { EvalCase } from "../../../evals/case-files/case-schema.ts";
import { loadCases } from "../../../evals/case-files/load-cases.ts";
import { type Clock, createDejavu, type Send } from "../../../evals/runner/dejavu-client.ts";
import type { Judge } from "../../../evals/runner/judge.ts";
import { type RunOutcome, runCases } from "../../../evals/runner/run-cases.ts";
import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import { emptyStores, type Harness, sql, workerEnv } from "./harness.ts";

/** The cases that are ready to run. */
export async function readyCases(): Promise<EvalCase[]> {
  const cases = await loadCases([join(REPO_DIR, "evals/cases")]);
  return cases.filter(({ review }) => review === undefined);
}

/** Loads all runbooks, and stores an incident that no run may change. @returns the number of stored records */
export async function loadStores(harness: Harness): Promise<Record<string, number>> {
  await emptyStores(harness.services);
  await seedRunbooks({ env: workerEnv });
  const { incident_id } = await harness.triage({ title: "ledger container exited with code 137", target: "ledger" });
  await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "More memory." });
  return everythingCounted(harness.services.vectors);
}

/** A clock that does not tick. A pause is recorded and advances it at once; a timeout ends when it is advanced so far. */
export function testClock(): Clock & { readonly pauses: number[]; advance(ms: number): void } {
  const pauses: number[] = [];
  const timeouts: { readonly end: number; readonly controller: AbortController }[] = [];
  let now = 0;
  const advance = (ms: number) => {
    now += ms;
    for (const { end, controller } of timeouts)
      if (end <= now) controller.abort(new DOMException("The time is up.", "TimeoutError"));
  };
  return {
    pauses,
    advance,
    now: () => now,
    timeout(ms) {
      const controller = new AbortController();
      timeouts.push({ end: now + ms, controller });
      return controller.signal;
    },
    pause: async (ms, cancelled) => {
      cancelled?.throwIfAborted();
      pauses.push(ms);
      advance(ms);
    },
  };
}

export interface RunSettings {
  readonly send?: Send;
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly cancelled?: AbortSignal;
  readonly onTrial?: () => void;
  readonly judge?: Judge;
}

/** Runs cases once, against `request` unless the settings have another client. */
export function createRunner(request: Send) {
  return (
    selection: readonly EvalCase[],
    { send = request, clock = testClock(), timeoutMs = 60_000, cancelled, onTrial, judge }: RunSettings = {},
  ): Promise<RunOutcome> =>
    runCases(selection, createDejavu(send, { clock, timeoutMs }), {
      runId: "test",
      repeats: 1,
      clock,
      judge: judge ?? null,
      cancelled: cancelled ?? new AbortController().signal,
      onTrial: onTrial ?? (() => {}),
    });
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
