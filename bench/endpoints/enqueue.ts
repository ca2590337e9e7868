// Times POST /v1/incidents and, as its lower bound, one insert of the same row through PostgREST.

import { randomUUID } from "node:crypto";
import type { Stack } from "../../dev/stack/stack.ts";
import { createApp } from "../../functions/app.ts";
import { createServices } from "../../functions/services.ts";
import { createTimings } from "../support/timings.ts";

const ROUNDS = 300;
const WARM_UP = 30;

const REPORT = {
  title: "api-gateway container exited with code 137",
  target: "api-gateway",
  severity: "critical",
  labels: { container_runtime: "docker" },
};

/** Runs the app in this process without a queue: investigations on the same cores would distort the times. */
export async function measureEnqueue({ info, workerEnv }: Stack): Promise<void> {
  const app = createApp(createServices(workerEnv, { log: () => {} }));
  const timings = createTimings();
  const headers = { authorization: `Bearer ${info.token}`, "content-type": "application/json" };
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) timings.reset();
    await timings.time("raw insert", () => insert(info.urls.supabase, workerEnv.SUPABASE_SERVICE_ROLE_KEY ?? ""));
    await timings.time("report (202)", async () => {
      const request = new Request("http://bench/v1/incidents", {
        method: "POST",
        headers,
        body: JSON.stringify(REPORT),
      });
      await expectOk(await app.fetch(request, {}, context));
    });
  }
  timings.print();
  const ratio = timings.p50("report (202)") / timings.p50("raw insert");
  console.log(`report / raw insert, p50: ${ratio.toFixed(2)} (target: at most 2)`);
}

async function insert(url: string, key: string): Promise<void> {
  const row = {
    id: randomUUID(),
    created_at: new Date().toISOString(),
    ...REPORT,
    session_id: "bench",
    domain: "docker",
    domain_rule: "label container_runtime=docker",
    incident_type: "oom_killed",
    incident_type_rule: 'text cue "exited with code 137"',
    status: "triaged",
  };
  const headers = {
    apikey: key,
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    prefer: "return=minimal",
  };
  await expectOk(await fetch(`${url}/rest/v1/incidents`, { method: "POST", headers, body: JSON.stringify(row) }));
}

async function expectOk(response: Response): Promise<void> {
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.url || "The app"} returned ${response.status}: ${body.slice(0, 200)}`);
}
