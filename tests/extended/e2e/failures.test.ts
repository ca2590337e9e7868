// Failures of real dependencies under the real Worker: each one is killed, stalled and restarted. Callers still get an
// answer or a clear error.

import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ServiceName } from "../../../dev/stack/services/service.ts";
import { INTERNALS } from "../../../functions/config/internals.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import { type TriageResult, triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { createServices } from "../../../functions/services.ts";
import { type RunningStack, startWholeStack } from "../../e2e/support/stacks.ts";
import { seedSomeRunbooks } from "../../integration/support/inventory.ts";

/** Far above the timeouts of a triage whose dependencies all hang: a request that takes longer has none. */
const HANGS_MS = 120_000;
const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };

let stack: RunningStack;

beforeAll(async () => {
  stack = await startWholeStack({ variables: { DEPENDENCY_TIMEOUT_MS: "4000" } });
  await seedSomeRunbooks(stack.workerEnv);
  await triage();
});
afterAll(() => stack?.[Symbol.asyncDispose]());

// Restores all services for the next test.
const broken = new Map<ServiceName, "killed" | "paused">();
afterEach(async () => {
  for (const [name, state] of broken) {
    if (state === "paused") stack.service(name).resume();
    else await stack.service(name).start();
  }
  broken.clear();
  await expect.poll(async () => (await ready()).status, { timeout: 180_000, interval: 200 }).toBe("ready");
});

async function kill(name: ServiceName): Promise<void> {
  broken.set(name, "killed");
  await stack.service(name).kill();
}

function pause(name: ServiceName): void {
  broken.set(name, "paused");
  stack.service(name).pause();
}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  const signal = AbortSignal.timeout(HANGS_MS);
  return fetch(new URL(path, stack.info.urls.worker), { signal, ...init, headers });
}

function ask(body: unknown = OOM): Promise<Response> {
  return call("/v1/triage", { method: "POST", body: JSON.stringify(body) });
}

async function triage(body: unknown = OOM): Promise<TriageResult> {
  const response = await ask(body);
  expect(response.status, await response.clone().text()).toBe(200);
  return triageResultSchema.parse(await response.json());
}

async function ready() {
  const response = await call("/health/ready");
  expect([200, 503]).toContain(response.status);
  return z
    .object({ status: z.string(), dependencies: z.record(z.string(), z.looseObject({ status: z.string() })) })
    .parse(await response.json());
}

async function scrape(): Promise<string> {
  const response = await call("/metrics");
  expect(response.status).toBe(200);
  return response.text();
}

function expectAnswer(result: TriageResult): void {
  expect(result.outcome).toBe("cause");
  expect(result.recalled.runbooks[0]?.source).toBe("docker/exit-137-out-of-memory.md");
  expect(result.answer.mitigate.length).toBeGreaterThan(0);
}

/** Without the database no word is weighed, so the same runbook comes first with a lower probability. */
function expectDegradedAnswer(result: TriageResult): void {
  expect(["cause", "possible"]).toContain(result.outcome);
  expect(result.recalled.runbooks[0]?.source).toBe("docker/exit-137-out-of-memory.md");
}

describe.each(["killed", "stalled"] as const)("with Chroma %s", (how) => {
  it("triage answers from keywords and warns about the missing dependency", async () => {
    if (how === "killed") await kill("chroma");
    else pause("chroma");
    const result = await triage();
    expectAnswer(result);
    expect(result.persisted).toBe(true);
    expect(result.warnings).toMatchObject([
      {
        dependency: "vector_store",
        code: how === "killed" ? "dependency_unreachable" : "dependency_timeout",
        message: expect.stringContaining("lacks the similarity search"),
      },
    ]);
    expect(
      result.recalled.runbooks.every(({ features }) => features.dense === undefined && features.bm25 !== undefined),
    ).toBe(true);
    expect(await ready()).toMatchObject({
      status: "degraded",
      dependencies: { vector_store: { status: "failing" }, database: { status: "ok" } },
    });
  });
});

describe.each([
  ["Postgres", "killed", "postgres"],
  ["Postgres", "stalled", "postgres"],
  ["PostgREST", "killed", "postgrest"],
  ["the gateway", "stalled", "gateway"],
] as const)("with %s %s", (_, how, part) => {
  it("triage answers from Chroma only and is stored later, and reads respond with 503 and Retry-After", async () => {
    if (how === "killed") await kill(part);
    else pause(part);
    const result = await triage();
    expectDegradedAnswer(result);
    expect(result.persisted).toBe("pending");
    expect(new Set(result.warnings.map(({ dependency }) => dependency))).toEqual(new Set(["database"]));
    expect(result.warnings.map(({ message }) => message).join()).toContain(
      "stored under its id when the database is back",
    );
    for (const path of ["/v1/incidents", `/v1/incidents/${result.incident_id}`]) {
      const response = await call(path);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(problemSchema.parse(await response.json())).toMatchObject({
        type: "urn:dejavu:problem:dependency-unavailable",
        dependencies: ["database"],
      });
    }
    const resolve = await call(`/v1/incidents/${result.incident_id}/resolve`, {
      method: "POST",
      body: JSON.stringify({ resolution: "x" }),
    });
    expect(resolve.status).toBe(202);
    expect(await ready()).toMatchObject({
      status: "degraded",
      dependencies: { database: { status: "failing" }, vector_store: { status: "ok" } },
    });
    expect(await scrape()).toMatch(/^dejavu_database_up 0$/m);
  });
});

describe("without any dependency", () => {
  it.each(["killed", "stalled"] as const)("%s: triage responds with 503 and the failed dependencies", async (how) => {
    for (const part of ["postgres", "chroma"] as const) {
      if (how === "killed") await kill(part);
      else pause(part);
    }
    const response = await ask();
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).not.toBeNull();
    const problem = problemSchema.parse(await response.json());
    expect(problem.type).toBe("urn:dejavu:problem:dependency-unavailable");
    expect(problem.dependencies).toEqual(expect.arrayContaining(["database", "vector_store"]));
    expect((await call("/health")).status).toBe(200);
    expect(await ready()).toMatchObject({ status: "unavailable" });
  });
});

describe("after a dependency returns", () => {
  it("Postgres has kept all persisted triages, and a new triage is stored", async () => {
    let before = await triage();
    // On a busy machine the database may be slower than the timeout of dependencies.
    while (before.persisted !== true) before = await triage();
    await kill("postgres");
    expect((await triage()).persisted).toBe("pending");
    broken.delete("postgres");
    await stack.service("postgres").start();
    await expect.poll(async () => (await ready()).status, { timeout: 180_000, interval: 200 }).toBe("ready");
    expect((await call(`/v1/incidents/${before.incident_id}`)).status).toBe(200);
    expect(await triage()).toMatchObject({ persisted: true, warnings: [] });
    const figures = await scrape();
    expect(figures).toMatch(/^dejavu_database_up 1$/m);
    expect(figures).toMatch(/^dejavu_triages_total\{.*outcome="cause".*\} [1-9]/m);
  });

  it("every memory record of 20 triages without Chroma is indexed exactly once", { timeout: 300_000 }, async () => {
    await kill("chroma");
    // Four batches of the outbox: each triage has two records.
    const titles = Array.from(
      { length: (4 * INTERNALS.OUTBOX_BATCH_SIZE) / 2 },
      (_, i) => `service-${i} container exited with code 137`,
    );
    for (let start = 0; start < titles.length; start += 4)
      await Promise.all(titles.slice(start, start + 4).map((title) => triage({ title })));
    broken.delete("chroma");
    await stack.service("chroma").start();

    // By the real clock the back-off has not ended, so the jobs use a clock that is an hour ahead. Two run concurrently.
    const later = () => new Date(Date.now() + 3_600_000);
    const services = createServices(stack.workerEnv, { now: later, log: () => {} });
    const sql = postgres(stack.info.urls.postgres, { max: 1 });
    try {
      await expect
        .poll(
          async () => {
            await Promise.all([retryOutbox(services), retryOutbox(services)]);
            const [row] = await sql`select count(*)::int as pending from public.outbox where done_at is null`;
            return row?.pending;
          },
          { timeout: 240_000 },
        )
        .toBe(0);
      for (const collection of ["incidents", "past_answers"]) {
        const rows = await sql`select d.id, d.title, d.indexed_hash = d.content_hash as indexed
          from public.documents d join public.collections c on c.id = d.collection_id where c.name = ${collection}`;
        const stored = await services.vectors.find(collection, { limit: 1_000 });
        expect(titles.filter((title) => rows.filter((row) => row.title === title).length !== 1)).toEqual([]);
        expect(stored.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => String(id)).sort());
        expect(rows.filter(({ indexed }) => indexed !== true)).toEqual([]);
      }
    } finally {
      await sql.end();
    }
    const { recalled } = await triage();
    expect(recalled.incidents.some(({ features }) => features.dense !== undefined)).toBe(true);
  });

  it("the Worker's cron indexes them too", async () => {
    await kill("chroma");
    const { incident_id } = await triage({ title: "lonely container exited with code 137" });
    broken.delete("chroma");
    await stack.service("chroma").start();
    const sql = postgres(stack.info.urls.postgres, { max: 1 });
    try {
      await sql`update public.outbox set next_attempt_at = now() where document_id = ${incident_id}`;
      const cron = new URL("/cdn-cgi/handler/scheduled?cron=*/2+*+*+*+*", stack.info.urls.worker);
      expect((await fetch(cron)).status).toBe(200);
      const [row] =
        await sql`select attempts, done_at is not null as done from public.outbox where document_id = ${incident_id}`;
      expect({ ...row }).toEqual({ attempts: 2, done: true });
    } finally {
      await sql.end();
    }
  });
});
