// Alert storm: rounds of 500 alerts, one webhook each, as fast as the Worker accepts them. The last round repeats the one
// before. Prints the stored rows and the memory of the Worker after each round.

import { readFileSync } from "node:fs";
import postgres from "postgres";
import { z } from "zod";
import type { Stack } from "../../dev/stack/stack.ts";
import { familyOf, identityOf } from "../../dev/stack/system/process-tree.ts";

const ALERTS = 500;
const NAMES = ["HighMemory", "DiskFull", "PodCrashLooping", "TooManyConnections", "TargetDown"];
/** Requests at the same time. */
const CONCURRENCY = 50;
const ROUNDS = 7;

export async function measureStorm({ info }: Stack): Promise<void> {
  const sql = postgres(info.urls.postgres, { max: 1, onnotice: () => {} });
  const count = async () => {
    const [row] = await sql`select count(*)::int as stored, count(distinct fingerprint)::int as fingerprints,
      count(distinct incident_id)::int as incidents from public.alerts where fingerprint like 'storm-%'`;
    return z.object({ stored: z.number(), fingerprints: z.number(), incidents: z.number() }).parse(row);
  };
  const workerMemory = residentMemoryOf(info.pids.worker ?? 0);
  console.log(
    `\nAlert storm: ${ALERTS} alerts, one webhook each, ${CONCURRENCY} at a time. Worker memory before: ${workerMemory()} MB`,
  );
  for (let round = 1; round <= ROUNDS; round++) {
    // The last round sends the alerts of the round before again.
    const isRepeat = round === ROUNDS;
    const started = performance.now();
    await inParallel(ALERTS, (i) => post(info, (isRepeat ? round - 1 : round) * ALERTS + i));
    const seconds = (performance.now() - started) / 1_000;
    const { stored, fingerprints, incidents } = await count();
    const content = isRepeat ? "the same again" : "new alerts";
    console.log(
      `  ${round}. ${content.padEnd(14)} ${seconds.toFixed(1)} s; stored so far: ${stored} alerts, ${fingerprints} fingerprints, ` +
        `${incidents} incidents; Worker memory ${workerMemory()} MB`,
    );
  }
  // Baseline: memory that `wrangler dev` itself takes for requests that do nothing.
  const before = workerMemory();
  await inParallel(ROUNDS * ALERTS, () => health(info));
  console.log(`  ${ROUNDS * ALERTS} × GET /health: ${workerMemory() - before} MB more`);
  await sql.end();
}

/** The webhook of one alert as Alertmanager sends it. */
export function alertWebhook(fingerprint: string, i: number) {
  const alertname = NAMES[i % NAMES.length] ?? "";
  const alert = {
    status: "firing",
    labels: { alertname, severity: "warning", namespace: "shop", pod: `checkout-${i}` },
    annotations: { summary: `${alertname} on checkout-${i}` },
    startsAt: "2026-03-01T02:55:12Z",
    endsAt: "0001-01-01T00:00:00Z",
    generatorURL: "http://prometheus.example/graph",
    fingerprint,
  };
  return { version: "4", groupKey: "{}", receiver: "dejavu", status: "firing", alerts: [alert] };
}

async function post({ urls, token }: Stack["info"], i: number): Promise<void> {
  const response = await fetch(`${urls.worker}/v1/alerts/alertmanager`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(alertWebhook(`storm-${i}`, i)),
  });
  const body = await response.text();
  if (response.status !== 202)
    throw new Error(`The alert endpoint returned ${response.status}, not 202: ${body.slice(0, 200)}`);
}

async function health({ urls }: Stack["info"]): Promise<void> {
  await (await fetch(`${urls.worker}/health`)).text();
}

async function inParallel(total: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < total; i = next++) await work(i);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Resident memory in MB of workerd, a descendant of the wrangler process `pid`. */
function residentMemoryOf(pid: number): () => number {
  return () => Math.max(0, ...familyOf(identityOf(pid)).map((row) => residentMb(row.pid)));
}

/** 0 for another program or an exited process. */
function residentMb(pid: number): number {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("workerd")) return 0;
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1_024);
  } catch {
    return 0;
  }
}
