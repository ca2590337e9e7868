// Postgres fails under the real Worker and its queues: what callers were answered meanwhile is stored when it is back.

import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callCron } from "../../../dev/stack/services/worker.ts";
import { SCHEDULE } from "../../../functions/jobs/schedule.ts";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { type RunningStack, startWholeStack } from "../../e2e/support/stacks.ts";
import { seedSomeRunbooks } from "../../integration/support/inventory.ts";

/** The longest pause between two deliveries is 30 s. */
const RECOVERY = { timeout: 150_000, interval: 500 };

/** A run whose start was committed after its caller gave up is closed after 5 minutes by the job, and then started again. */
const RECOVERY_BY_JOB = { timeout: 480_000, interval: 5_000 };

let stack: RunningStack;
let sql: postgres.Sql;

beforeAll(async () => {
  // Chroma has the same time as the stalled database: too little of it fails triages on a busy machine.
  stack = await startWholeStack({ variables: { DEPENDENCY_TIMEOUT_MS: "3000" } });
  await seedSomeRunbooks(stack.workerEnv);
  sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  await post("/v1/triage", { title: "api-gateway docker container exited with code 137" }, 200);
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await stack?.[Symbol.asyncDispose]();
});

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  return fetch(new URL(path, stack.info.urls.worker), { ...init, headers });
}

async function post(path: string, body: unknown, status: number): Promise<Record<string, unknown>> {
  const response = await call(path, { method: "POST", body: JSON.stringify(body) });
  expect(response.status, await response.clone().text()).toBe(status);
  return (await response.json()) as Record<string, unknown>;
}

async function statusOf(id: unknown): Promise<unknown> {
  const response = await call(`/v1/incidents/${id}`);
  return response.status === 200 ? ((await response.json()) as { status: string }).status : response.status;
}

function webhook(name: string, status: "firing" | "resolved"): object {
  const alert = {
    status,
    labels: { alertname: name, severity: "critical", container: "api-gateway" },
    annotations: { summary: "container exited with code 137" },
    startsAt: "2026-03-01T02:50:00Z",
    endsAt: status === "resolved" ? "2026-03-01T02:58:00Z" : "0001-01-01T00:00:00Z",
    generatorURL: "",
    fingerprint: `fp-${name}`,
  };
  const group = { groupKey: "{}", receiver: "dejavu", groupLabels: {}, commonLabels: {}, commonAnnotations: {} };
  return { version: "4", status, externalURL: "", truncatedAlerts: 0, ...group, alerts: [alert] };
}

describe.each(["killed", "stalled"] as const)("with Postgres %s and back", (how) => {
  it("triages, reports, alerts, ratings and fixes are stored once, under the ids that were given", {
    timeout: 900_000,
  }, async () => {
    // A second attempt must not find what the first one stored.
    const session = `${how}-${crypto.randomUUID().slice(0, 8)}`;
    const alertname = `Ended-${session}`;
    const database = stack.service("postgres");
    if (how === "killed") await database.kill();
    else database.pause();

    const triages = [];
    for (let i = 0; i < 3; i++) {
      const title = `service-${how}-${i} container exited with code 137`;
      const result = triageResultSchema.parse(await post("/v1/triage", { title, session_id: session }, 200));
      expect(result.persisted).toBe("pending");
      triages.push(result);
    }
    const report = { title: `worker-${how} container exited with code 137` };
    const { incident_id: reported, persisted } = await post("/v1/incidents", report, 202);
    expect(persisted).toBe("pending");
    for (const status of ["firing", "resolved"] as const)
      expect(await post("/v1/alerts/alertmanager", webhook(alertname, status), 202)).toMatchObject({
        persisted: "pending",
      });
    const [first] = triages;
    await post(`/v1/triages/${first?.triage_id}/feedback`, { rating: "up", by: "dana" }, 202);
    await post(`/v1/incidents/${first?.incident_id}/resolve`, { resolution: `Raised the limit (${how}).` }, 202);

    if (how === "killed") await database.start();
    else database.resume();

    const ids = triages.map(({ incident_id }) => incident_id);
    await expect.poll(async () => Promise.all(ids.map(statusOf)), RECOVERY).toEqual(["resolved", "triaged", "triaged"]);
    // It is investigated, and not only stored.
    const recovered = async () => {
      await callCron(stack.info.urls.worker, SCHEDULE["recover-stuck-runs"].cron);
      return statusOf(reported);
    };
    await expect.poll(recovered, RECOVERY_BY_JOB).toBe("triaged");
    const alerts = () => sql`select a.status, i.status as incident from public.alerts a
      join public.incidents i on i.id = a.incident_id where a.alertname = ${alertname}`;
    await expect
      .poll(async () => [...(await alerts())], RECOVERY)
      .toMatchObject([{ status: "resolved", incident: "resolved" }]);
    await expect
      .poll(async () => sql`select rating from public.feedback where triage_id = ${first?.triage_id ?? ""}`, RECOVERY)
      .toMatchObject([{ rating: 1 }]);

    const stored = await sql`select id, incident_id from public.triages where incident_id = any (${ids})`;
    expect(stored.map(({ id }) => id).sort()).toEqual(triages.map(({ triage_id }) => triage_id).sort());
    const turns = await sql`select query from public.runs where session_id = ${session} order by started_at`;
    expect(turns.map(({ query }) => query)).toEqual(triages.map(({ title }) => title));
    const [{ tries } = {}] =
      await sql`select count(*)::int as tries from public.fix_tries where incident_id = ${ids[0] ?? ""}`;
    expect(tries).toBe(1);
  });
});
