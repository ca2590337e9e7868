// The database: PostgREST answers, and its schema is that of this checkout.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { REPO_DIR } from "../stack/paths.ts";
import { ask } from "./ask.ts";
import { type Finding, findingsOf } from "./finding.ts";

const { ok, problem, unchecked } = findingsOf("database");

const PUSH = 'npm run deploy, or npx supabase db push --remote="<connection string>"';
const problemSchema = z.object({ code: z.string() });

export interface DatabaseInput {
  /** Both undefined if the value is not here. */
  readonly url: string | undefined;
  readonly serviceRoleKey: string | undefined;
  readonly timeoutMs: number;
}

/** Whether the API of the database takes the key, and which migrations are applied: null for none that it reports. */
export type DatabaseState =
  | { readonly ok: true; readonly applied: readonly string[] | null }
  | { readonly ok: false; readonly finding: Finding };

export async function checkDatabase({ url, serviceRoleKey, timeoutMs }: DatabaseInput): Promise<Finding> {
  const missing = url === undefined ? "SUPABASE_URL" : "SUPABASE_SERVICE_ROLE_KEY";
  if (url === undefined || serviceRoleKey === undefined)
    return unchecked(
      `The database was not checked: the value of ${missing} is not here.`,
      "Set it in the shell, or in the file of --secrets-file.",
    );
  const state = await readDatabaseState(url, serviceRoleKey, timeoutMs);
  if (!state.ok) return state.finding;
  if (state.applied === null)
    return problem("The schema of the database is missing, or older than this version.", PUSH);
  return compareMigrations(state.applied, readMigrations());
}

export async function readDatabaseState(
  url: string,
  serviceRoleKey: string,
  timeoutMs: number,
): Promise<DatabaseState> {
  const failed = (text: string, mend: string): DatabaseState => ({ ok: false, finding: problem(text, mend) });
  const endpoint = `${url.replace(/\/+$/, "")}/rest/v1/rpc/applied_migrations`;
  const headers = {
    apikey: serviceRoleKey,
    "content-type": "application/json",
    // Supabase takes a secret key in `apikey` alone; a JWT stands in both.
    ...(serviceRoleKey.startsWith("sb_") ? {} : { authorization: `Bearer ${serviceRoleKey}` }),
  };
  const reply = await ask(endpoint, { method: "POST", headers, body: "{}" }, timeoutMs);
  if (!reply.ok)
    return failed(
      `The database at ${url} cannot be reached: ${reply.reason}.`,
      "Check SUPABASE_URL. A paused Supabase project must be resumed in its dashboard.",
    );
  if (reply.status === 401 || reply.status === 403)
    return failed(
      `The database at ${url} refuses SUPABASE_SERVICE_ROLE_KEY.`,
      "Use the secret key or the service_role key of this project, not the publishable one.",
    );
  if (problemSchema.safeParse(reply.body).data?.code === "PGRST202") return { ok: true, applied: null };
  const applied = z.array(z.string()).safeParse(reply.body);
  if (reply.status !== 200 || !applied.success)
    return failed(
      `The server at ${url} does not answer as PostgREST does: status ${reply.status}.`,
      "SUPABASE_URL is the address without /rest/v1.",
    );
  return { ok: true, applied: applied.data };
}

/** @param applied versions in the database @param own versions of this checkout */
export function compareMigrations(applied: readonly string[], own: readonly string[]): Finding {
  const missing = own.filter((version) => !applied.includes(version));
  const foreign = applied.filter((version) => !own.includes(version));
  const last = own.at(-1) ?? "";
  const isNewer = foreign.some((version) => version > last);
  if (foreign.length > 0 && isNewer)
    return problem(
      `The schema of the database is newer than this checkout: it has ${count(foreign.length)} that this version does not know, the last is ${foreign.toSorted().at(-1)}.`,
      "Deploy the version that the schema belongs to. See docs/guides/deploy.md for a rollback.",
    );
  if (foreign.length > 0)
    return problem(
      `The schema of the database was made by other migrations: ${count(foreign.length)} that this version does not know, the first is ${foreign.toSorted()[0]}.`,
      "Use a new Supabase project.",
    );
  if (missing.length > 0)
    return problem(
      `The schema of the database is older than this checkout: ${count(missing.length)} to apply, the first is ${missing[0]}.`,
      PUSH,
    );
  return ok(`The database has the schema of this version (${last}).`);
}

function count(migrations: number): string {
  return migrations === 1 ? "1 migration" : `${migrations} migrations`;
}

/** The versions of this checkout, in the order in which they are applied. */
export function readMigrations(): string[] {
  const files = readdirSync(join(REPO_DIR, "supabase/migrations")).filter((name) => name.endsWith(".sql"));
  return files.map((name) => name.split("_", 1)[0] ?? "").sort();
}
