// A whole deployment as an operator runs it: wrangler itself against a stand-in for Cloudflare's API, real stores, and the
// application in this process as the deployed Worker.

import { readFileSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readMigrations } from "../../../dev/deploy/check-database.ts";
import { applySchema, readPendingMigrations } from "../../../dev/deploy/run/database.ts";
import { DeployError, type Person, type Question } from "../../../dev/deploy/run/person.ts";
import { type DeployRequest, runDeploy, runRollback } from "../../../dev/deploy/run/run-deploy.ts";
import { readSettingValues } from "../../../dev/deploy/settings-file.ts";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { createHarness, info, sql, workerEnv } from "../../integration/support/harness.ts";
import { type CloudflareApi, cloudflareApi } from "../../integration/support/servers/cloudflare-api.ts";
import { listen } from "../../integration/support/servers/listen.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const CALL_MS = 60_000;
const QUEUES = ["dejavu-outbox", "dejavu-triages", "dejavu-triages-dead", "dejavu-writes", "dejavu-writes-dead"];

const harness = createHarness();
let folder: string;
let api: CloudflareApi;
let worker: Awaited<ReturnType<typeof listen>>;
let lines: string[];
let questions: Question[];

beforeAll(async () => {
  folder = await scratchFolder("deploy-command");
  api = await cloudflareApi();
  api.secrets = null;
  worker = await listen(harness.services);
  for (const [name, value] of Object.entries(api.environment)) vi.stubEnv(name, value);
  await writeFile(settingsPath(), "");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await worker[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  lines = [];
  questions = [];
  api.changes.length = 0;
  api.failing = undefined;
});

const settingsPath = () => join(folder, "settings");

/** Answers by words of the questions, in this order. */
const ANSWERS: readonly (readonly [RegExp, string])[] = [
  [/^Connection string/, info.urls.postgres],
  [/^URL of the Supabase project/, workerEnv.SUPABASE_URL ?? ""],
  [/^Secret key/, workerEnv.SUPABASE_SERVICE_ROLE_KEY ?? ""],
  [/^URL of Chroma/, workerEnv.CHROMA_URL ?? ""],
  [/^The Worker has a DEJAVU_TOKEN/, ""],
  [/^Which account/, "1"],
];

const operator: Person = {
  answer: async (question) => {
    questions.push(question);
    const [, answer] = ANSWERS.find(([words]) => words.test(question.text)) ?? [];
    if (answer === undefined) throw new Error(`Nobody answers: ${question.text}`);
    return answer;
  },
  confirm: async (text) => void questions.push({ text }),
};

function deploy(changes: Partial<DeployRequest> = {}, person: Person | null = operator, command = runDeploy) {
  const request: DeployRequest = {
    name: "production",
    configPath: join(REPO_DIR, "wrangler.toml"),
    secretsFile: settingsPath(),
    // The tenant and the database of this file, and the token that the application was made with.
    values: readyValues(),
    url: worker.url,
    timeoutMs: CALL_MS,
    isWorkerOnly: false,
    isDryRun: false,
    needsNoConfirmation: false,
    ...changes,
  };
  const print = (line: string) => void lines.push(line);
  return command(request, { print, person, shell: {}, sleep: async () => {}, showProgress: () => {} });
}

function readyValues() {
  return {
    CHROMA_TENANT: workerEnv.CHROMA_TENANT ?? "default_tenant",
    CHROMA_DATABASE: workerEnv.CHROMA_DATABASE ?? "default_database",
    DEJAVU_TOKEN: harness.services.config.DEJAVU_TOKEN ?? "",
  };
}

const output = () => lines.join("\n");

describe("npm run deploy", () => {
  it("prints every command of a first deployment, and changes nothing", async () => {
    const { DEJAVU_TOKEN: _, ...values } = readyValues();
    expect(await deploy({ isDryRun: true, values })).toBe(true);
    for (const queue of QUEUES) expect(output()).toContain(`npx wrangler queues create ${queue}`);
    expect(output()).toContain("npx wrangler deploy --tag");
    expect(output()).toContain("Nothing was changed.");
    expect(output()).not.toContain("Made a DEJAVU_TOKEN");
    for (const secret of [workerEnv.SUPABASE_SERVICE_ROLE_KEY, harness.services.config.DEJAVU_TOKEN])
      expect(output()).not.toContain(secret);
    expect(api.changes).toEqual([]);
    expect(readFileSync(settingsPath(), "utf8")).toBe("");
  });

  it.each([
    [/^POST \/queues/, /The queue dejavu-outbox could not be made/],
    [/^PUT \/workers\/scripts/, /The Worker could not be deployed/],
    // The version is uploaded, and its cron jobs are not set.
    [/schedules$/, /The Worker could not be deployed/],
  ])("stops where Cloudflare fails (%s), and says why", async (failing, sentence) => {
    api.failing = failing;
    await expect(deploy()).rejects.toThrow(sentence);
    expect(questions.length).toBeLessThan(10);
  });

  it("continues without a question but the last, and ends with runbooks, a check and a link", async () => {
    const uploaded = api.versions.length;
    expect(await deploy(), output()).toBe(true);
    expect(questions.map(({ text }) => text)).toEqual(["Deploy?"]);
    expect(api.queues.toSorted()).toEqual(QUEUES);
    // The last failure came after the upload, which is not repeated.
    expect(api.versions).toHaveLength(uploaded);
    expect(api.crons).toBeInstanceOf(Array);
    expect(api.versions.at(-1)?.secrets).toEqual({
      ...harnessSettings(),
      DEJAVU_TOKEN: harness.services.config.DEJAVU_TOKEN,
    });
    expect(output()).toMatch(/Loaded \d+ built-in runbooks/);
    expect(output()).toMatch(/Sign in, once within 10 minutes: .*#code=/);
    const [row] = await sql`select count(*)::int as count from public.sources where origin = 'built_in'`;
    expect(row?.count).toBeGreaterThan(200);
    expect(statSync(settingsPath()).mode & 0o777).toBe(0o600);
  });

  it("changes nothing when it is repeated, without a terminal too", async () => {
    const uploaded = api.versions.length;
    expect(await deploy({ url: undefined }, null), output()).toBe(true);
    expect(output()).toContain("is deployed already");
    expect(output()).toMatch(/The \d+ built-in runbooks are loaded already/);
    expect(api.versions).toHaveLength(uploaded);
    expect(api.changes.filter((change) => /^(?:POST \/queues$|PUT \/workers\/scripts\/:worker$)/.test(change))).toEqual(
      [],
    );
  });

  it("would deploy again a version that has a part of the requests", async () => {
    api.share = 60;
    expect(await deploy({ isDryRun: true }, null), output()).toBe(true);
    api.share = 100;
    expect(output()).toContain("deploy the Worker with");
    expect(output()).not.toContain("is deployed already");
  });

  it("deploys a changed setting as a new version, keeps the address of the settings, and rolls back", async () => {
    await writeFile(settingsPath(), `${readFileSync(settingsPath(), "utf8")}RETENTION_DAYS=30\n`);
    // A login with two accounts, none of which is chosen yet.
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", undefined);
    api.accounts.push({ id: "f".repeat(32), name: "Another" });
    const before = api.deployments.at(-1);
    expect(await deploy({ url: undefined }), output()).toBe(true);
    expect(questions.map(({ text }) => text)).toEqual([expect.stringContaining("Which account?"), "Deploy?"]);
    expect(api.versions.at(-1)?.secrets.RETENTION_DAYS).toBe("30");
    expect(api.deployments.at(-1)).not.toBe(before);
    expect(output()).toMatch(/Wrangler names https:\/\/\S+workers\.dev/);
    expect(output()).toContain(`✓ The Worker answers at ${worker.url}.`);
    expect(await deploy({}, null, runRollback), output()).toBe(true);
    expect(api.deployments.at(-1)).toBe(before);
  });

  it.each([
    ["DATABASE_URL", "postgresql://nobody:wrong@127.0.0.1:9/postgres", /database cannot be reached/],
    ["SUPABASE_SERVICE_ROLE_KEY", "wrong", /refuses SUPABASE_SERVICE_ROLE_KEY/],
    ["CHROMA_URL", "http://127.0.0.1:9", /Chroma at .* cannot be reached/],
    ["RETENTION_DAYS", "many", /RETENTION_DAYS: /],
  ])("refuses a wrong %s before anything is changed", async (name, value, sentence) => {
    const values = { ...readSettingValues("production", settingsPath(), {}), [name]: value };
    await expect(deploy({ values }, null)).rejects.toThrow(DeployError);
    expect(output()).toMatch(sentence);
    expect(api.changes).toEqual([]);
  });
});

/** What the operator entered, with the places of Chroma. */
function harnessSettings() {
  const { SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY, CHROMA_URL } = workerEnv;
  return {
    SUPABASE_URL,
    SUPABASE_SERVICE_ROLE_KEY,
    CHROMA_URL,
    CHROMA_TENANT: workerEnv.CHROMA_TENANT ?? "default_tenant",
    CHROMA_DATABASE: workerEnv.CHROMA_DATABASE ?? "default_database",
  };
}

it("applies the schema to an empty database once", async () => {
  const name = `empty_${process.pid}`;
  await sql`create database ${sql(name)}`;
  const url = new URL(info.urls.postgres);
  url.pathname = `/${name}`;
  url.searchParams.set("sslmode", "disable");
  try {
    expect(await readPendingMigrations(url.href, CALL_MS)).toEqual({ ok: true, pending: readMigrations() });
    const own = postgres(url.href, { max: 1, onnotice: () => {} });
    await own`create schema if not exists extensions`;
    await own.end();
    await applySchema(url.href);
    expect(await readPendingMigrations(url.href, CALL_MS)).toEqual({ ok: true, pending: [] });
    url.port = "6543";
    expect(await readPendingMigrations(url.href, CALL_MS)).toMatchObject({ ok: false });
  } finally {
    await sql`drop database if exists ${sql(name)} with (force)`;
  }
});
