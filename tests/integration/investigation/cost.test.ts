// The cost of a triage in round trips and subrequests: a Worker on the free plan may make 50 subrequests, and each
// sequential round trip delays the answer.

import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, type Harness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { type LyingServer, lyingServer } from "../support/servers/lying-server.ts";
import { json, scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const IN_SESSION = {
  ...OOM,
  session_id: "on-call",
  labels: { container_runtime: "docker", container: "api-gateway" },
  logs: "2026-03-01T02:59:00Z INFO serving\n2026-03-01T03:00:00Z ERROR: Memory cgroup out of memory: Killed process 4711",
};
const MAX_ROUND_TRIPS = 4;
const MAX_SUBREQUESTS = 13;
/** Every call takes so long that independent calls overlap even on a busy machine. */
const CALL_MS = 300;

const { services } = createHarness();

beforeAll(() => loadFreshRunbooks(services, workerEnv));
beforeEach(() => deleteIncidents(services));

interface Cost {
  readonly roundTrips: number;
  readonly requests: readonly string[];
}

/** Triages with a new isolate and again with the same one. */
async function measure(report: unknown): Promise<{ readonly cold: Cost; readonly warm: Cost }> {
  const before = () => pause(CALL_MS, undefined);
  await using database = await lyingServer({ forwardTo: workerEnv.SUPABASE_URL ?? "", before });
  await using chroma = await lyingServer({ forwardTo: workerEnv.CHROMA_URL ?? "", before });
  const harness = createHarness({ SUPABASE_URL: database.url, CHROMA_URL: chroma.url });
  const servers = { database, chroma };
  return { cold: await costOf(harness, servers, report), warm: await costOf(harness, servers, report) };
}

async function costOf(
  harness: Harness,
  servers: Readonly<Record<string, LyingServer>>,
  report: unknown,
): Promise<Cost> {
  for (const { requests, spans } of Object.values(servers)) {
    requests.length = 0;
    spans.length = 0;
  }
  await harness.triage(report);
  const startedAt = Math.min(...Object.values(servers).flatMap(({ spans }) => spans.map(({ begin }) => begin)));
  const made = Object.entries(servers).flatMap(([server, { requests, spans }]) =>
    requests.map((request, i) => ({ server, request, begin: spans[i]?.begin ?? 0, end: spans[i]?.end ?? 0 })),
  );
  const answeredAt = made.find(({ request }) => request.endsWith("/finish_run"))?.end ?? 0;
  const inOrder = made.sort((a, b) => a.begin - b.begin);
  return {
    roundTrips: longestChain(inOrder.filter(({ begin }) => begin < answeredAt)),
    requests: inOrder.map(
      ({ server, request, begin, end }) =>
        `${Math.round(begin - startedAt)}-${Math.round(end - startedAt)} ms ${server} ${request}${begin < answeredAt ? "" : " (after the answer)"}`,
    ),
  };
}

/** The longest chain of requests in which each began after the previous one had ended. */
function longestChain(spans: readonly { begin: number; end: number }[]): number {
  let length = 0;
  let free = Number.NEGATIVE_INFINITY;
  for (const { begin, end } of [...spans].sort((a, b) => a.end - b.end)) {
    if (begin < free) continue;
    length += 1;
    free = end;
  }
  return length;
}

function expectCheap({ roundTrips, requests }: Cost, name: string, maxRoundTrips = MAX_ROUND_TRIPS): void {
  const list = `${name}:\n  ${requests.join("\n  ")}`;
  expect(requests.length, list).toBeLessThanOrEqual(MAX_SUBREQUESTS);
  expect(roundTrips, list).toBeLessThanOrEqual(maxRoundTrips);
}

/** A memory with an incident that has a fix, past answers, also of the session, and a procedure. */
async function fillMemory(): Promise<void> {
  await using model = await scriptedModel({ critique: json({ feedback: "Sound.", score: 0.9 }) });
  const harness = createHarness(model.env());
  const { incident_id } = await harness.triage(IN_SESSION);
  for (const session_id of ["on-call", "another"]) await harness.triage({ ...OOM, session_id });
  const resolved = await harness.post(`/v1/incidents/${incident_id}/resolve`, {
    resolution: "Raised the limit.",
    worked: true,
  });
  expect(resolved.status).toBe(200);
  expect(await harness.services.vectors.find("procedures", { limit: 9 })).not.toEqual([]);
}

describe(`a triage makes at most ${MAX_ROUND_TRIPS} sequential round trips before the answer and ${MAX_SUBREQUESTS} subrequests`, () => {
  it.each([
    { memory: "an empty memory", isFilled: false, kind: "a title", report: OOM, maxWarm: 3 },
    // The past answers of a session are known only when the run has started.
    { memory: "a filled memory", isFilled: true, kind: "labels, logs and a session", report: IN_SESSION, maxWarm: 4 },
  ])("with $memory, for a report with $kind, cold and warm", async ({ memory, isFilled, kind, report, maxWarm }) => {
    if (isFilled) await fillMemory();
    const { cold, warm } = await measure(report);
    console.log(
      `${memory}, ${kind}: ${cold.requests.length} subrequests cold, ${warm.requests.length} warm; ${cold.roundTrips} sequential round trips before the answer cold, ${warm.roundTrips} warm`,
    );

    expectCheap(cold, "cold");
    expectCheap(warm, "warm", maxWarm);
  });
});
