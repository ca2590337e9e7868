// The check of a deployment, on real stores and a stand-in for Cloudflare's API.

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { checkDatabase } from "../../../dev/deploy/check-database.ts";
import { checkWorker } from "../../../dev/deploy/check-worker.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { createHarness, sql, workerEnv } from "../../integration/support/harness.ts";
import { runCommand } from "../../integration/support/run-command.ts";
import { type CloudflareApi, cloudflareApi } from "../../integration/support/servers/cloudflare-api.ts";
import { listen } from "../../integration/support/servers/listen.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const SECRETS = ["DEJAVU_TOKEN", "SUPABASE_URL", "SUPABASE_SERVICE_ROLE_KEY", "CHROMA_URL"];
const CONFIG = join(REPO_DIR, "wrangler.toml");
const QUEUES = ["dejavu-outbox", "dejavu-triages", "dejavu-triages-dead", "dejavu-writes", "dejavu-writes-dead"];
/** Nothing listens on this port. */
const CLOSED = "http://127.0.0.1:9";
const CALL_MS = 20_000;

const harness = createHarness();
let folder: string;
let api: CloudflareApi;

beforeAll(async () => {
  folder = await scratchFolder("deploy");
  api = await cloudflareApi();
  const lines = Object.entries(workerEnv).map(([name, value]) => `${name}=${value}`);
  await writeFile(join(folder, "secrets"), lines.join("\n"));
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  Object.assign(api, { mode: "answers", queues: QUEUES, secrets: SECRETS, consumers: 1 });
});

const reportSchema = z.object({
  ok: z.boolean(),
  findings: z.array(z.object({ part: z.string(), status: z.string(), text: z.string(), mend: z.string().optional() })),
});

async function check(words: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const options = ["--env", "production", "--config", CONFIG, "--json"];
  const env = { PATH: process.env.PATH, HOME: folder, ...api.environment, ...variables };
  const { code, out, problems } = await runCommand("dev/deploy/check-deploy.ts", [...options, ...words], env);
  expect(problems).not.toMatch(/^\s+at /m);
  const report = reportSchema.parse(JSON.parse(out));
  const texts = report.findings.map(({ status, text }) => `${status}: ${text}`);
  const mends = report.findings.flatMap(({ mend }) => mend ?? []);
  return { code, report, texts, mends };
}

const withSecrets = () => ["--secrets-file", join(folder, "secrets")];

it("passes an environment that has everything, also with queues on a second page", async () => {
  Object.assign(api, { queues: ["another", ...QUEUES], secrets: SECRETS });
  const { code, texts } = await check(withSecrets());
  expect(texts.filter((text) => !text.startsWith("ok: "))).toEqual([]);
  expect(texts).toContainEqual("ok: Logged in to the account Example.");
  expect(texts).toContainEqual("ok: The 5 queues exist.");
  expect(code).toBe(0);
});

it("names each missing queue and secret, an older schema and vectors of another model, with the command that mends it", async () => {
  api.queues = QUEUES.filter((name) => name !== "dejavu-writes");
  api.secrets = SECRETS.filter((name) => name !== "DEJAVU_TOKEN");
  const other = createHarness({ CHUNK_SIZE: "300" });
  await other.services.vectors.store("runbooks", [
    { id: "a", vector: vectorOf(other.services.embedder.dimensions), text: "a", metadata: {} },
  ]);
  const [last] = await sql`
    delete from supabase_migrations.schema_migrations m
    where m.version = (select max(version) from supabase_migrations.schema_migrations) returning *`;
  try {
    const { code, texts, mends } = await check(withSecrets());
    expect(texts).toContainEqual("problem: The queue dejavu-writes does not exist.");
    expect(texts).toContainEqual("problem: The secret DEJAVU_TOKEN is not set.");
    expect(texts).toContainEqual(
      expect.stringContaining("problem: The schema of the database is older than this checkout: 1 migration to apply"),
    );
    expect(texts).toContainEqual(expect.stringContaining("problem: The vectors of runbooks were made by another"));
    expect(mends).toEqual(
      expect.arrayContaining([
        "npx wrangler queues create dejavu-writes --message-retention-period-secs 1209600",
        "npx wrangler secret put DEJAVU_TOKEN",
        expect.stringContaining('npx supabase db push --remote="<connection string>"'),
        expect.stringContaining("dejavu reindex"),
      ]),
    );
    expect(code).toBe(1);
  } finally {
    await sql`insert into supabase_migrations.schema_migrations ${sql(last ?? {})}`;
    await other.services.vectors.drop("runbooks");
  }
});

function vectorOf(length: number): number[] {
  return Array.from({ length }, (_, i) => Number(i === 0));
}

const ACCOUNT_ONLY = ["--skip", "database", "--skip", "vector_store"];

it("says which secrets a Worker needs that does not exist yet", async () => {
  api.secrets = null;
  const { code, texts } = await check(ACCOUNT_ONLY);
  expect(texts).toContainEqual("problem: The secret DEJAVU_TOKEN is not set: the Worker dejavu does not exist yet.");
  expect(code).toBe(1);
});

it.each([
  {
    mode: "stalls",
    variables: {},
    text: /^unchecked: Cloudflare does not answer, so the login could not be read: no answer within 3 s/,
  },
  { mode: "refuses", variables: {}, text: /^problem: Cloudflare refuses the login/ },
  {
    mode: "answers",
    variables: { CLOUDFLARE_API_BASE_URL: `${CLOSED}/client/v4` },
    text: /^unchecked: Cloudflare does not answer/,
  },
] as const)("ends with a plain sentence when the API $mode ($text)", async ({ mode, variables, text }) => {
  api.mode = mode;
  const timeout = mode === "stalls" ? ["--timeout", "3"] : [];
  const { code, texts } = await check([...ACCOUNT_ONLY, ...timeout], variables);
  expect(texts).toContainEqual(expect.stringMatching(text));
  expect(code).toBe(1);
});

it("leaves nothing unsaid without the values of secrets, and refuses an unknown environment", async () => {
  const { texts } = await check(["--skip", "account"]);
  expect(texts).toContainEqual(expect.stringContaining("unchecked: The database was not checked"));
  const unknown = await check(["--skip", "account", "--env", "staging"]);
  expect(unknown.texts).toEqual([expect.stringContaining('No environment found in configuration with name "staging"')]);
});

it("recognises a database that is unreachable, refuses the key, or is none", async () => {
  const key = workerEnv.SUPABASE_SERVICE_ROLE_KEY ?? "";
  const database = { url: workerEnv.SUPABASE_URL ?? "", serviceRoleKey: key, timeoutMs: CALL_MS };
  expect(await checkDatabase(database)).toMatchObject({ status: "ok" });
  const unreachable = await checkDatabase({ ...database, url: CLOSED });
  expect(unreachable.text).toContain("cannot be reached: no connection");
  const wrongKey = await checkDatabase({ ...database, serviceRoleKey: `${key}x` });
  expect(wrongKey.text).toContain("refuses SUPABASE_SERVICE_ROLE_KEY");
  const chroma = await checkDatabase({ ...database, url: workerEnv.CHROMA_URL ?? "" });
  expect(chroma.text).toContain("does not answer as PostgREST does");
});

it("checks a deployed Worker: version, token, dependencies and cron jobs", async () => {
  await using server = await listen(harness.services);
  const token = harness.services.config.DEJAVU_TOKEN;
  const worker = { url: server.url, token, environment: "production", timeoutMs: CALL_MS, now: harness.clock.now() };
  const before = await checkWorker(worker);
  expect(before.map(({ status }) => status)).toEqual(["ok", "ok", "unchecked"]);
  for (const { name } of (await listJobs()).jobs) await harness.post(`/v1/admin/jobs/${name}`, undefined);
  const after = await checkWorker(worker);
  expect(after.map(({ status, text }) => `${status}: ${text}`)).toEqual([
    expect.stringContaining("ok: The Worker runs version"),
    "ok: The token works, and the Worker reaches its database, vector store and embedder.",
    expect.stringMatching(/^ok: All \d+ cron jobs run/),
  ]);
  const wrongToken = await checkWorker({ ...worker, token: "another-token-of-nobody" });
  expect(wrongToken).toContainEqual(expect.objectContaining({ text: "The Worker refuses DEJAVU_TOKEN." }));
  const none = await checkWorker({ ...worker, url: CLOSED });
  expect(none).toEqual([expect.objectContaining({ status: "problem", mend: "Check --url." })]);
});

async function listJobs(): Promise<{ jobs: { name: string }[] }> {
  const response = await harness.request("/v1/admin/jobs");
  return z.object({ jobs: z.array(z.object({ name: z.string() })) }).parse(await response.json());
}
