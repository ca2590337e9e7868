// The database of a deployment: its connection string and its API are checked, and its schema is applied.

import postgres from "postgres";
import { pushCommand } from "../../stack/database-setup.ts";
import { REPO_DIR } from "../../stack/paths.ts";
import { withTemporaryFolder } from "../../stack/system/temporary-folder.ts";
import { ask } from "../ask.ts";
import { compareMigrations, readDatabaseState, readMigrations } from "../check-database.ts";
import { type Finding, findingsOf } from "../finding.ts";
import type { SettingValues } from "../settings-file.ts";
import { runProgram } from "../wrangler.ts";
import { type Conversation, DeployError, obtain } from "./person.ts";

const { problem } = findingsOf("database");
const PUSH_TIMEOUT_MS = 600_000;
const SUPABASE_HOST = /^(?:db\.)?([a-z0-9]{16,})\.supabase\.(?:co|in)$/;

export interface DatabaseSettings {
  readonly DATABASE_URL: string;
  readonly SUPABASE_URL: string;
  readonly SUPABASE_SERVICE_ROLE_KEY: string;
}

/** @throws DeployError */
export async function obtainDatabase(
  presets: SettingValues,
  conversation: Conversation,
  timeoutMs: number,
): Promise<{ readonly settings: DatabaseSettings; readonly pending: readonly string[] }> {
  let pending: readonly string[] = [];
  const DATABASE_URL = await obtain(
    {
      name: "DATABASE_URL",
      preset: presets.DATABASE_URL,
      question: { text: "Connection string of the database (Supabase: Connect, Session pooler)", isSecret: true },
    },
    conversation,
    async (url) => {
      const state = await readPendingMigrations(url, timeoutMs);
      if (!state.ok) return state.finding;
      pending = state.pending;
      return undefined;
    },
  );
  const project = projectOf(DATABASE_URL);
  const SUPABASE_URL = await obtain(
    {
      name: "SUPABASE_URL",
      preset: presets.SUPABASE_URL,
      question: {
        text: "URL of the Supabase project",
        fallback: project === undefined ? undefined : `https://${project}.supabase.co`,
      },
    },
    conversation,
    (url) => findApiProblem(url, project, timeoutMs),
  );
  const SUPABASE_SERVICE_ROLE_KEY = await obtain(
    {
      name: "SUPABASE_SERVICE_ROLE_KEY",
      preset: presets.SUPABASE_SERVICE_ROLE_KEY,
      question: { text: "Secret key of the project (Supabase: Project Settings, API Keys)", isSecret: true },
    },
    conversation,
    async (key) => {
      const state = await readDatabaseState(SUPABASE_URL, key, timeoutMs);
      return state.ok ? undefined : state.finding;
    },
  );
  return { settings: { DATABASE_URL, SUPABASE_URL, SUPABASE_SERVICE_ROLE_KEY }, pending };
}

/** The id of the Supabase project in a connection string or an address; undefined for another server. Exported for its test. */
export function projectOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, username } = new URL(address);
  return SUPABASE_HOST.exec(hostname)?.[1] ?? /^[^.]+\.([a-z0-9]{16,})$/.exec(decodeURIComponent(username))?.[1];
}

async function findApiProblem(
  url: string,
  project: string | undefined,
  timeoutMs: number,
): Promise<Finding | undefined> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    return problem("SUPABASE_URL is no address.", "It looks like https://<project>.supabase.co");
  const own = projectOf(url);
  if (own !== undefined && project !== undefined && own !== project)
    return problem(
      `SUPABASE_URL belongs to the project ${own}, and DATABASE_URL to the project ${project}.`,
      "Take both from one project.",
    );
  const reply = await ask(`${url.replace(/\/+$/, "")}/rest/v1/`, {}, timeoutMs);
  if (reply.ok) return undefined;
  return problem(
    `The database's API at ${url} cannot be reached: ${reply.reason}.`,
    "Check SUPABASE_URL. A paused Supabase project must be resumed in its dashboard.",
  );
}

export type PendingMigrations =
  | { readonly ok: true; readonly pending: readonly string[] }
  | { readonly ok: false; readonly finding: Finding };

/** The migrations that are not applied yet; a problem if they cannot be. */
export async function readPendingMigrations(url: string, timeoutMs: number): Promise<PendingMigrations> {
  const failed = (text: string, mend: string): PendingMigrations => ({ ok: false, finding: problem(text, mend) });
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    return failed(
      "DATABASE_URL is no connection string.",
      "It looks like postgresql://<user>:<password>@<host>:5432/postgres, with the password percent-encoded.",
    );
  const { port, searchParams, username, password } = new URL(url);
  if (!isDecodable(username + password))
    return failed("DATABASE_URL has a % that begins no code.", "Percent-encode the password: % is %25, @ is %40.");
  if (port === "6543")
    return failed(
      "DATABASE_URL is that of the transaction pooler, over which no schema can be applied.",
      "Take the session pooler: port 5432.",
    );
  const sql = postgres(url, {
    max: 1,
    connect_timeout: timeoutMs / 1_000,
    ssl: searchParams.get("sslmode") === "disable" ? false : "prefer",
    onnotice: () => {},
  });
  try {
    const [history] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
    const rows = history?.exists
      ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations order by version`
      : [];
    const applied = rows.map(({ version }) => version);
    const own = readMigrations();
    if (applied.some((version) => !own.includes(version)))
      return { ok: false, finding: compareMigrations(applied, own) };
    return { ok: true, pending: own.filter((version) => !applied.includes(version)) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "28P01" || code === "28000")
      return failed("The database refuses the user or the password.", "Percent-encode the password: @ is %40.");
    return failed(
      `The database cannot be reached: ${code === "" ? "no answer" : code}.`,
      "Check DATABASE_URL. From a network without IPv6, take the session pooler of Supabase.",
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Applies the migrations. @throws DeployError; those before the one that failed stay */
export async function applySchema(url: string): Promise<void> {
  await withTemporaryFolder("dejavu-schema-", async (workDir) => {
    const { args, env } = pushCommand(REPO_DIR, workDir, url);
    const result = await runProgram(args, env, PUSH_TIMEOUT_MS);
    if (!result.ok) throw new DeployError(`The schema could not be applied.\n${lastLines(result.detail)}`);
  });
}

function lastLines(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-8).join("\n");
}
