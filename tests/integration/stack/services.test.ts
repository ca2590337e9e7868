import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { callCron } from "../../../dev/stack/cron.ts";
import { PART_NAMES, readStackInfo, type Stack, startStack } from "../../../dev/stack/index.ts";
import { removeDir, scratchDir, writeProject } from "./support/scratch.ts";
import { canConnect, get, LOOKS } from "./support/service-checks.ts";

const START_COMMAND = fileURLToPath(new URL("../../../dev/start.ts", import.meta.url));

const MIGRATIONS = {
  "20260101000000_open.sql":
    "create table public.left_open (id int primary key); insert into public.left_open values (1);",
  "20260101000001_closed.sql": `create table public.closed (id int primary key);
    revoke all on public.closed from anon, authenticated;`,
};

async function askWorker(stack: Stack): Promise<{ env: unknown; crons: number }> {
  const response = await fetch(stack.info.urls.worker);
  return z.object({ env: z.unknown(), crons: z.number() }).parse(await response.json());
}

describe("a whole stack", { timeout: 30_000 }, () => {
  let scratch: string;
  let dir: string;
  let stack: Stack;

  beforeAll(async () => {
    scratch = scratchDir({ keep: true });
    dir = join(scratch, "data");
    stack = await startStack({
      dir,
      ephemeral: true,
      parts: PART_NAMES,
      projectDir: writeProject(join(scratch, "project"), { migrations: MIGRATIONS }),
      extraWorkerVars: { EMBEDDING_DIMENSIONS: "3", ODD: `it's "quoted" #1` },
    });
  }, 60_000);

  afterAll(async () => {
    await stack?.stop();
    removeDir(scratch);
  });

  test("is described by stack.json, which only its owner may read", () => {
    expect(readStackInfo(dir)).toEqual({ state: "running", info: stack.info });
    expect(statSync(join(dir, "stack.json")).mode & 0o777).toBe(0o600);
    expect(Object.keys(stack.info.pids)).toEqual([...PART_NAMES]);
    for (const pid of Object.values(stack.info.pids)) expect(() => process.kill(pid, 0)).not.toThrow();
    for (const path of Object.values(stack.info.logs)) expect(existsSync(path)).toBe(true);
  });

  test("gives the Worker its variables, the caller's own winning", async () => {
    const { env } = await askWorker(stack);
    expect(env).toEqual(stack.workerEnv);
    expect(env).toMatchObject({
      ODD: `it's "quoted" #1`,
      EMBEDDING_DIMENSIONS: "3",
      CHROMA_URL: stack.info.urls.chroma,
    });
  });

  test("fires the Worker's cron", async () => {
    await callCron(stack.info.urls.worker, "*/2 * * * *");
    expect(await askWorker(stack)).toMatchObject({ crons: 1 });
  });

  test("lets the anon key read only what a migration left open, as Supabase does", async () => {
    const { urls, anonKey, serviceRoleKey } = stack.info;
    expect(await get(`${urls.supabase}/rest/v1/left_open`, anonKey)).toBe(200);
    expect(await get(`${urls.supabase}/rest/v1/closed`, anonKey)).toBe(401);
    expect(await get(`${urls.supabase}/rest/v1/closed`, serviceRoleKey)).toBe(200);
  });

  test("asks for a key and takes the apikey header alone", async () => {
    const url = `${stack.info.urls.supabase}/rest/v1/closed`;
    const refused = await fetch(url);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ message: "No API key found in request" });
    const rows = await fetch(url, { headers: { apikey: stack.info.serviceRoleKey } });
    expect(await rows.json()).toEqual([]);
    expect((await fetch(url, { headers: { apikey: "no-jwt" } })).status).toBe(401);
  });

  test("passes bodies and headers through the gateway", async () => {
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

  test.each(PART_NAMES)("loses %s to a kill and gets it back on the same port", async (name) => {
    const part = stack.part(name);
    const before = part.pid;
    await part.kill();
    expect(part.pid).toBeUndefined();
    expect(await canConnect(part.port)).toBe(false);
    expect(stack.info.pids).not.toHaveProperty(name);

    await part.start();
    expect(part.pid).not.toBe(before);
    expect(await canConnect(part.port)).toBe(true);
    expect(JSON.parse(readFileSync(join(dir, "stack.json"), "utf8")).pids[name]).toBe(part.pid);
    // PostgREST's pool reconnects at the first request after Postgres is back.
    await expect.poll(() => LOOKS[name](stack), { timeout: 5_000 }).toBe(200);
  });

  test.each(PART_NAMES)("stalls while %s is paused and goes on when it is resumed", async (name) => {
    const part = stack.part(name);
    part.pause();
    try {
      await expect(LOOKS[name](stack)).rejects.toThrow(/timeout/i);
    } finally {
      part.resume();
    }
    await expect.poll(() => LOOKS[name](stack).catch(() => 0), { timeout: 5_000 }).toBe(200);
  });

  test("kills a paused part too", async () => {
    const part = stack.part("postgres");
    part.pause();
    await part.kill();
    await part.start();
    await expect.poll(() => LOOKS.postgres(stack), { timeout: 5_000 }).toBe(200);
  });

  test("answers 503 with a problem while PostgREST is away", async () => {
    const part = stack.part("postgrest");
    await part.stop();
    const response = await fetch(`${stack.info.urls.supabase}/rest/v1/left_open`, {
      headers: { apikey: stack.info.serviceRoleKey },
    });
    expect(response.status).toBe(503);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ status: 503, title: "Service Unavailable" });
    await part.start();
    expect(await LOOKS.postgrest(stack)).toBe(200);
  });

  test("has room for another stack beside it", async () => {
    const other = await startStack({ dir: join(scratch, "other"), ephemeral: true, parts: ["chroma"] });
    try {
      expect(await LOOKS.chroma(other)).toBe(200);
      expect(other.info.ports.chroma).not.toBe(stack.info.ports.chroma);
      expect(Object.keys(other.info.pids)).toEqual(["chroma"]);
      expect(() => other.part("worker")).toThrow("without worker");
    } finally {
      await other.stop();
    }
    expect(await LOOKS.chroma(stack)).toBe(200);
  });

  test("is what npm start finds already running", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [START_COMMAND, "--dir", dir]);
    expect(stdout).toContain(`Already running, process ${process.pid}`);
    expect(stdout).toContain(stack.info.urls.worker);
  });

  test("leaves nothing when it stops, and may be stopped twice", async () => {
    const { pids } = stack.info;
    await Promise.all([stack.stop(), stack.stop()]);
    await stack.stop();
    for (const pid of Object.values(pids)) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(existsSync(dir)).toBe(false);
  });
});
