// Triages at a constant concurrency, each of another incident.

import { z } from "zod";
import type { Stack } from "../../dev/stack/stack.ts";
import { incidentFamilies } from "../incidents/incident-families.ts";
import { createTimings } from "../support/timings.ts";

export interface TriageCounts {
  readonly answered: number;
  /** Other statuses than 200, and requests without an answer, by kind. */
  readonly failed: ReadonlyMap<string, number>;
  /** Answers with a warning, by its code. */
  readonly degraded: ReadonlyMap<string, number>;
  readonly degradedAnswers: number;
  readonly persisted: number;
  readonly p50: number;
  readonly p95: number;
  readonly perSecond: number;
}

const answerSchema = z.object({
  persisted: z.unknown(),
  warnings: z.array(z.object({ code: z.string(), dependency: z.string() })),
});

/** @param first number of the first report: the same number is the same report */
export async function sendTriages(
  { info }: Stack,
  { count, concurrency, first }: { readonly count: number; readonly concurrency: number; readonly first: number },
): Promise<TriageCounts> {
  const report = createReports();
  const timings = createTimings();
  const failed = new Map<string, number>();
  const degraded = new Map<string, number>();
  let [answered, persisted, degradedAnswers] = [0, 0, 0];
  const started = performance.now();
  await inParallel(count, concurrency, async (i) => {
    try {
      const response = await timings.time("triage", () => post(info, "/v1/triage", report(first + i)));
      if (!response.ok) return add(failed, String(response.status));
      const { persisted: isStored, warnings } = answerSchema.parse(await response.json());
      answered += 1;
      persisted += isStored === true ? 1 : 0;
      degradedAnswers += warnings.length > 0 ? 1 : 0;
      for (const { code, dependency } of warnings) add(degraded, `${code} of ${dependency}`);
    } catch (error) {
      add(failed, error instanceof Error ? error.message : "unknown");
    }
  });
  const seconds = (performance.now() - started) / 1_000;
  const [p50, p95] = [timings.p50("triage"), timings.quantile("triage", 0.95)];
  return { answered, failed, degraded, degradedAnswers, persisted, p50, p95, perSecond: count / seconds };
}

export function describeTriages(counts: TriageCounts): string {
  const { answered, failed, degraded, degradedAnswers, persisted, p50, p95, perSecond } = counts;
  const list = (kinds: ReadonlyMap<string, number>) =>
    [...kinds].map(([kind, n]) => `${n} × ${kind}`).join(", ") || "none";
  return [
    `  answered ${answered}, stored with the answer ${persisted}, failed: ${list(failed)}`,
    `  degraded answers ${degradedAnswers}: ${list(degraded)}`,
    `  p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, ${perSecond.toFixed(1)} a second`,
  ].join("\n");
}

/** Reports without end: the families again with other services. */
function createReports(): (i: number) => unknown {
  const rounds = new Map<number, unknown[]>();
  const roundOf = (seed: number): unknown[] => {
    const round =
      rounds.get(seed) ?? incidentFamilies(seed).flatMap(({ members }) => members.map(({ report }) => report));
    rounds.set(seed, round);
    return round;
  };
  return (i) => {
    const size = roundOf(0).length;
    return roundOf(Math.floor(i / size))[i % size];
  };
}

export function post({ urls, token }: Stack["info"], path: string, body: unknown): Promise<Response> {
  return fetch(`${urls.worker}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

export async function inParallel(
  total: number,
  concurrency: number,
  work: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < total; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

export function add(counts: Map<string, number>, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
