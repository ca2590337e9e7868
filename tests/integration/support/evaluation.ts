// Helpers for tests of the evaluation: its cases, a runner, a clock without real waits, the reached figures, and the
// number of stored records.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import type { EvalCase } from "../../../evals/case-files/case-schema.ts";
import { loadCases } from "../../../evals/case-files/load-cases.ts";
import { type Clock, createDejavu, type Send } from "../../../evals/runner/dejavu-client.ts";
import type { Judge } from "../../../evals/runner/judge.ts";
import { type RunOutcome, runCases } from "../../../evals/runner/run-cases.ts";
import type { CaseResult, DETERMINISTIC_METRICS } from "../../../evals/runs/run-file.ts";
import { metricFigures } from "../../../evals/statistics/metric-figures.ts";
import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { COLLECTIONS } from "../../../functions/search-index/collections.ts";
import { emptyStores, type Harness, sql, workerEnv } from "./harness.ts";

/** The cases that are ready to run. */
export async function readyCases(): Promise<EvalCase[]> {
  const cases = await loadCases([join(REPO_DIR, "evals/cases")]);
  return cases.filter(({ review }) => review === undefined);
}

/**
 * Cases that together have every category, kind of setup and kind of expectation: in the order of their hashes,
 * each that has one that no earlier case has.
 */
export function representativeCases(cases: readonly EvalCase[]): EvalCase[] {
  const hashOf = ({ id }: EvalCase) => createHash("sha256").update(id).digest("hex");
  const kinds = new Set<string>();
  return cases
    .toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))
    .filter((each) => {
      const fresh = kindsOf(each).filter((kind) => !kinds.has(kind));
      for (const kind of fresh) kinds.add(kind);
      return fresh.length > 0;
    });
}

/** The kinds that a case is an example of, such as `memory` or `expect.redacted`. */
export function kindsOf({ category, expect, before, metrics, samples, session, ...others }: EvalCase): string[] {
  return [
    category,
    ...Object.keys(expect).map((field) => `expect.${field}`),
    ...(expect.outcome ?? []).map((outcome) => `outcome ${outcome}`),
    ...(before.length > 0 ? ["before"] : []),
    ...(Object.keys(others.own_runbooks).length > 0 ? ["own_runbooks"] : []),
    ...(samples ? ["samples"] : []),
    ...(metrics ? ["metrics"] : []),
    ...(session === undefined ? [] : ["session"]),
  ];
}

/** Minimum mean of each metric. */
export type Floors = Readonly<Record<keyof typeof DETERMINISTIC_METRICS, number>>;

/** The mean of each metric, printed with the failures of each case. */
export function meansOf(results: readonly CaseResult[]): ReadonlyMap<string, number> {
  const figures = metricFigures(results);
  console.log(figures.map(({ metric, mean, cases }) => `${metric} ${mean.toFixed(3)} of ${cases}`).join("\n"));
  for (const { id, trials } of results)
    for (const { failures } of trials) if (failures.length > 0) console.log(`${id}: ${failures.join(" ")}`);
  return new Map(figures.map(({ metric, mean }) => [metric, mean]));
}

/** The errors of trials without an answer. */
export function errorsOf(results: readonly CaseResult[]): string[] {
  return results.flatMap(({ id, trials }) => trials.flatMap(({ error }) => (error ? [`${id}: ${error}`] : [])));
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

const BETWEEN_REQUESTS_MS = 1_000;

/**
 * Runs cases once, against the harness unless the settings have another client. Its clock advances with each request: what
 * is stored at one time has no order.
 */
export function createRunner(harness: Pick<Harness, "request" | "clock">) {
  const later: Send = (path, init) => {
    harness.clock.advance(BETWEEN_REQUESTS_MS);
    return harness.request(path, init);
  };
  return (
    selection: readonly EvalCase[],
    { send = later, clock = testClock(), timeoutMs = 60_000, cancelled, onTrial, judge }: RunSettings = {},
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
