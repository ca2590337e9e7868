import { describe, expect, it } from "vitest";
import { readQueueTable } from "../../../dev/deploy/check-account.ts";
import { compareMigrations } from "../../../dev/deploy/check-database.ts";
import { checkSettings } from "../../../dev/deploy/check-settings.ts";
import { describeJobs } from "../../../dev/deploy/check-worker.ts";
import { readEnvironment, type WorkerEnvironment } from "../../../dev/deploy/environment.ts";
import { REQUIRED_SETTINGS } from "../../../dev/deploy/settings-file.ts";
import { describeFailure } from "../../../dev/deploy/wrangler.ts";

const CONFIG = new URL("../../../wrangler.toml", import.meta.url).pathname;
const production = readEnvironment(CONFIG, "production");
const preview = readEnvironment(CONFIG, "preview");
const STORES = { SUPABASE_URL: "https://abc.supabase.co", CHROMA_URL: "https://api.trychroma.com" };

function problemsOf(changes: Partial<WorkerEnvironment>, secretNames: readonly string[] = REQUIRED_SETTINGS): string[] {
  const environment = { ...production, ...changes };
  const others = new Map([["preview", { environment: preview, values: STORES }]]);
  const findings = checkSettings({ environment, others, secretNames, secretValues: {} });
  return findings.filter(({ status }) => status !== "ok").map(({ text }) => text);
}

describe("the settings of an environment", () => {
  it("are right in wrangler.toml", () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({}, ["SUPABASE_URL"])).toEqual([
      "SUPABASE_SERVICE_ROLE_KEY is required, and is not set.",
      "CHROMA_URL is required, and is not set.",
    ]);
  });

  it.each([
    [{ vars: { RETENTION_DAYS: "many" } }, /^RETENTION_DAYS: /],
    [{ vars: { DEJAVU_TOKEN: "0123456789abcdef" } }, /^DEJAVU_TOKEN is a secret, and stands in clear text/],
    [{ vars: { RERANKER: "http:model" } }, /^RERANKER is http, so RERANK_URL must be set/],
    [{ vars: { SUPABASE_URL: "https://abc.supabase.co" } }, /^SUPABASE_URL stands in wrangler.toml, and is a secret/],
    [{ vars: STORES }, /^preview uses the database https:\/\/abc.supabase.co, too/],
    [{ vars: { EMBEDDING_MODEL: "workers-ai:m" } }, /^The binding AI \(EMBEDDING_MODEL needs it\) is missing/],
    [{ ratelimits: [] }, /^The binding RATE_LIMIT is missing/],
    [{ queues: { ...production.queues, consumers: [] } }, /^Nothing consumes the queue dejavu-outbox/],
    [{ triggers: { crons: ["1 1 1 1 1"] } }, /^The cron expression "1 1 1 1 1" belongs to no job/],
    [{ ratelimits: preview.ratelimits }, /^preview uses the rate limit 338511, too/],
    [{ queues: preview.queues }, /^preview uses the queue dejavu-preview-outbox, too/],
  ])("report a mistake (%#)", (changes, sentence) => {
    expect(problemsOf(changes)).toContainEqual(expect.stringMatching(sentence));
  });
});

describe("the schema", () => {
  const own = ["20260101", "20260102", "20260103"];
  it.each([
    [own, /^The database has the schema of this version/],
    [["20260101"], /older than this checkout: 2 migrations to apply, the first is 20260102/],
    [[], /older than this checkout: 3 migrations/],
    [[...own, "20260104"], /newer than this checkout: .*1 migration that .* the last is 20260104/],
    [["20250101", ...own], /made by other migrations: 1 migration .* the first is 20250101/],
  ])("is compared with the checkout (%#)", (applied, sentence) => {
    expect(compareMigrations(applied, own).text).toMatch(sentence);
  });
});

describe("the cron jobs", () => {
  const now = new Date("2026-03-01T03:00:00Z");
  const job = (started_at: string | null, error: string | null = null) => ({
    name: "retry-outbox",
    last_run: started_at === null ? null : { started_at, error },
  });
  it.each([
    [job("2026-03-01T02:59:00Z"), "ok"],
    [job("2026-03-01T02:40:00Z"), "problem"],
    [job("2026-03-01T02:59:00Z", "database unreachable"), "problem"],
    [job(null), "unchecked"],
  ])("are judged by their last run (%#)", (last, status) => {
    expect(describeJobs([last], now).status).toBe(status);
  });
});

describe("what wrangler prints", () => {
  it("is read as a table by its heading", () => {
    const table = "┌─┬─┐\n│ name │ id │ consumers │\n├─┼─┤\n│ dejavu-outbox │ 1 │ 0 │\n└─┴─┘";
    expect(readQueueTable(table)).toEqual([{ name: "dejavu-outbox", consumers: 0 }]);
    expect(readQueueTable("")).toEqual([]);
  });

  it.each([
    ['Worker "dejavu" (env: production) not found.', "no_worker"],
    ["[ERROR] Authentication error [code: 10000]", "login"],
    ["[ERROR] fetch failed", "network"],
    ["[ERROR] Something else", "other"],
    ["", "other"],
  ])("is a failure of a kind: %s", (text, failure) => {
    expect(describeFailure(text)).toMatchObject({ ok: false, failure });
  });
});
