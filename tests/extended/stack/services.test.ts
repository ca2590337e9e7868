import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { SERVICE_NAMES } from "../../../dev/stack/services/service.ts";
import { callCron } from "../../../dev/stack/services/worker.ts";
import type { Stack } from "../../../dev/stack/stack.ts";
import { readStackInfo } from "../../../dev/stack/stack-info.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { removeDir, scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";
import { canConnect, get, SERVICE_CHECKS } from "../../integration/stack/support/service-checks.ts";

const START_COMMAND = fileURLToPath(new URL("../../../dev/start.ts", import.meta.url));

/** `closed` revokes Supabase's default privileges; `left_open` keeps them. */
const MIGRATIONS = {
  "20260101000000_open.sql":
    "create table public.left_open (id int primary key); insert into public.left_open values (1);",
  "20260101000001_closed.sql": `create table public.closed (id int primary key);
    revoke all on public.closed from anon, authenticated;`,
};

/** The response of the scratch Worker in support/scratch.ts: its variables and its number of cron calls. */
async function workerState(stack: Stack): Promise<{ env: unknown; crons: number }> {
  const response = await fetch(stack.info.urls.worker);
  return z.object({ env: z.unknown(), crons: z.number() }).parse(await response.json());
}

describe("a whole stack", { timeout: 300_000 }, () => {
  let scratch: string;
  let dir: string;
  let stack: Stack;

  beforeAll(async () => {
    scratch = scratchDir({ keep: true });
    dir = join(scratch, "data");
    stack = await startStack({
      dir,
      ephemeral: true,
      services: SERVICE_NAMES,
      projectDir: writeProject(join(scratch, "project"), { migrations: MIGRATIONS }),
      extraWorkerVars: { LOG_LEVEL: "warn", ODD: `it's "quoted" #1` },
    });
  }, 60_000);

  afterAll(async () => {
    await stack?.stop();
    removeDir(scratch);
  });

  test("is described by stack.json, which only its owner can read", () => {
    expect(readStackInfo(dir)).toEqual({ state: "running", info: stack.info });
    expect(statSync(join(dir, "stack.json")).mode & 0o777).toBe(0o600);
    expect(Object.keys(stack.info.pids)).toEqual([...SERVICE_NAMES]);
    for (const pid of Object.values(stack.info.pids)) expect(() => process.kill(pid, 0)).not.toThrow();
    for (const path of Object.values(stack.info.logs)) expect(existsSync(path)).toBe(true);
  });

  test("passes the Worker its variables, and extraWorkerVars override the defaults", async () => {
    const { env } = await workerState(stack);
    expect(env).toEqual(stack.workerEnv);
    expect(env).toMatchObject({
      ODD: `it's "quoted" #1`,
      LOG_LEVEL: "warn",
      CHROMA_URL: stack.info.urls.chroma,
    });
  });

  test("calls the Worker's cron handler", async () => {
    await callCron(stack.info.urls.worker, "*/2 * * * *");
    expect(await workerState(stack)).toMatchObject({ crons: 1 });
  });

  test("lets the anon key read a table unless a migration revokes it, as Supabase does", async () => {
    const { urls, anonKey, serviceRoleKey } = stack.info;
    expect(await get(`${urls.supabase}/rest/v1/left_open`, anonKey)).toBe(200);
    expect(await get(`${urls.supabase}/rest/v1/closed`, anonKey)).toBe(401);
    expect(await get(`${urls.supabase}/rest/v1/closed`, serviceRoleKey)).toBe(200);
  });

  test("rejects REST requests without a valid key and accepts the apikey header without authorization", async () => {
    const url = `${stack.info.urls.supabase}/rest/v1/closed`;
    const rejected = await fetch(url);
    expect(rejected.status).toBe(401);
    expect(await rejected.json()).toMatchObject({ message: "No API key found in request" });
    const rows = await fetch(url, { headers: { apikey: stack.info.serviceRoleKey } });
    expect(await rows.json()).toEqual([]);
    expect((await fetch(url, { headers: { apikey: "no-jwt" } })).status).toBe(401);
  });

  test("forwards bodies and headers through the gateway", async () => {
    const headers = {
      apikey: stack.info.serviceRoleKey,
      "content-type": "application/json",
      prefer: "return=representation",
    };
    const body = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => ({ id: index })));
    const response = await fetch(`${stack.info.urls.supabase}/rest/v1/closed?select=id`, {
      method: "POST",
      headers,
      body,
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toHaveLength(5_000);
    const counted = await fetch(`${stack.info.urls.supabase}/rest/v1/closed?limit=2&order=id`, {
      headers: { apikey: stack.info.serviceRoleKey, prefer: "count=exact" },
    });
    expect(counted.headers.get("content-range")).toBe("0-1/5000");
  });

  test.each(SERVICE_NAMES)("starts %s on the same port after a kill", async (name) => {
    const service = stack.service(name);
    const before = service.pid;
    await service.kill();
    expect(service.pid).toBeUndefined();
    expect(await canConnect(service.port)).toBe(false);
    expect(stack.info.pids).not.toHaveProperty(name);

    await service.start();
    expect(service.pid).not.toBe(before);
    expect(await canConnect(service.port)).toBe(true);
    expect(JSON.parse(readFileSync(join(dir, "stack.json"), "utf8")).pids[name]).toBe(service.pid);
    // PostgREST's pool reconnects at the first request after Postgres is back.
    await expect.poll(() => SERVICE_CHECKS[name](stack)).toBe(200);
  });

  test.each(SERVICE_NAMES)("does not answer while %s is paused and answers again after it is resumed", async (name) => {
    const service = stack.service(name);
    service.pause();
    try {
      await expect(SERVICE_CHECKS[name](stack, 700)).rejects.toThrow(/timeout/i);
    } finally {
      service.resume();
    }
    await expect.poll(() => SERVICE_CHECKS[name](stack).catch(() => 0)).toBe(200);
  });

  test("kills a paused service", async () => {
    const service = stack.service("postgres");
    service.pause();
    await service.kill();
    await service.start();
    await expect.poll(() => SERVICE_CHECKS.postgres(stack)).toBe(200);
  });

  test("answers 503 as application/problem+json at the gateway while PostgREST is stopped", async () => {
    const service = stack.service("postgrest");
    await service.stop();
    const response = await fetch(`${stack.info.urls.supabase}/rest/v1/left_open`, {
      headers: { apikey: stack.info.serviceRoleKey },
    });
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ status: 503, title: "Service Unavailable" });
    await service.start();
    expect(await SERVICE_CHECKS.postgrest(stack)).toBe(200);
  });

  test("runs beside another stack", async () => {
    const other = await startStack({ dir: join(scratch, "other"), ephemeral: true, services: ["chroma"] });
    try {
      expect(await SERVICE_CHECKS.chroma(other)).toBe(200);
      expect(other.info.ports.chroma).not.toBe(stack.info.ports.chroma);
      expect(Object.keys(other.info.pids)).toEqual(["chroma"]);
      expect(() => other.service("worker")).toThrow("without worker");
    } finally {
      await other.stop();
    }
    expect(await SERVICE_CHECKS.chroma(stack)).toBe(200);
  });

  test("is detected by npm start, which starts no second stack", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [START_COMMAND, "--dir", dir]);
    expect(stdout).toContain(`Already running, process ${process.pid}`);
    expect(stdout).toContain(stack.info.urls.worker);
  });

  test("leaves no process and no folder when it stops, and can be stopped twice", async () => {
    const { pids } = stack.info;
    await Promise.all([stack.stop(), stack.stop()]);
    await stack.stop();
    for (const pid of Object.values(pids)) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(existsSync(dir)).toBe(false);
  });
});
