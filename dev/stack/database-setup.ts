// Setup of the database: the roles that Supabase gives every project, then `supabase/migrations`, applied by the
// Supabase CLI as in a hosted project. The CLI takes a second to find nothing to do. So a hash of the files is kept in
// the database, and an unchanged set is skipped.

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { baseEnvironment } from "./system/child-process.ts";
import { StackError } from "./system/errors.ts";
import type { ProcessRegistry } from "./system/process-registry.ts";
import { runTool } from "./system/run-tool.ts";

/**
 * Roles as in Supabase's own images: only the authenticator logs in, and each request switches to another role. The
 * default privileges are as generous as Supabase's: tests then notice a migration that neither revokes nor enables row
 * level security. Idempotent.
 */
const ROLES_SQL = `
do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit bypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
  end if;
end
$$;
grant anon, authenticated, service_role to authenticator;
-- Limits of a hosted project.
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role anon set statement_timeout = '3s';
create schema if not exists extensions;
grant usage on schema public, extensions to anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
`;

/** The Supabase CLI sends no usage data, and does not ask GitHub for its newest version after each command. */
export const QUIET_CLI = { SUPABASE_TELEMETRY_DISABLED: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" };

export interface MigrationOptions {
  projectDir: string;
  /** The data folder that holds the database. */
  dataDir: string;
  /** Working folder of the CLI, which writes files to it. */
  workDir: string;
  superuserUrl: string;
  logPath: string;
  registry: ProcessRegistry;
  signal: AbortSignal;
}

/**
 * @param superuserUrl a connection that may create roles
 * @param authenticatorPassword hexadecimal, because it is put into SQL unescaped
 */
export async function createRoles(superuserUrl: string, authenticatorPassword: string): Promise<void> {
  if (!/^[0-9a-f]+$/.test(authenticatorPassword)) throw new Error("The authenticator's password must be hexadecimal.");
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(ROLES_SQL);
    await sql.unsafe(`alter role authenticator password '${authenticatorPassword}'`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * @returns the number of migrations, and whether the CLI had to run
 * @throws StackError when a migration fails, or before any is applied when the database was created by other migrations
 */
export async function applyMigrations(options: MigrationOptions): Promise<{ total: number; pushed: boolean }> {
  const sourceDir = join(options.projectDir, "supabase/migrations");
  const files = existsSync(sourceDir)
    ? readdirSync(sourceDir)
        .filter((name) => name.endsWith(".sql"))
        .sort()
    : [];
  if (files.length === 0) return { total: 0, pushed: false };
  const hash = hashFiles(sourceDir, files);
  const sql = postgres(options.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    // Not in `public`: the REST API must not expose it.
    await sql`create schema if not exists dejavu_dev`;
    await sql`create table if not exists dejavu_dev.migration_push (hash text primary key, pushed_at timestamptz not null default now())`;
    const [last] = await sql<
      { hash: string }[]
    >`select hash from dejavu_dev.migration_push order by pushed_at desc limit 1`;
    if (last?.hash === hash) return { total: files.length, pushed: false };
    await refuseOlderDatabase(sql, files, options.dataDir);
    await push(options);
    await sql`insert into dejavu_dev.migration_push (hash) values (${hash}) on conflict (hash) do update set pushed_at = now()`;
    return { total: files.length, pushed: true };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The baseline does not upgrade a database that earlier migrations created, and would fail halfway through. */
async function refuseOlderDatabase(sql: postgres.Sql, files: readonly string[], dataDir: string): Promise<void> {
  const [history] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (!history?.exists) return;
  const applied = await sql<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by version`;
  const versions = new Set(files.map((file) => file.split("_", 1)[0]));
  const missing = applied.map(({ version }) => version).filter((version) => !versions.has(version));
  if (missing.length === 0) return;
  throw new StackError(
    `The database in ${dataDir} was created by migrations that are not in supabase/migrations any more ` +
      `(${missing.length}, the first is ${missing[0]}). It cannot be upgraded. Move or delete the folder ${dataDir}, ` +
      "then start again. This loses the incidents and the memory that are stored in it.",
  );
}

/**
 * The command that applies the migrations, for Node.
 * @param workDir is emptied, and gets a copy of them
 * @param url connection string
 */
export function pushCommand(
  projectDir: string,
  workDir: string,
  url: string,
): { readonly args: string[]; readonly env: Record<string, string> } {
  rmSync(workDir, { recursive: true, force: true });
  cpSync(join(projectDir, "supabase/migrations"), join(workDir, "supabase/migrations"), { recursive: true });
  const configuration = join(projectDir, "supabase/config.toml");
  if (existsSync(configuration)) copyFileSync(configuration, join(workDir, "supabase/config.toml"));
  const remote = new URL(url);
  // Not among the arguments, which every user of the machine can read.
  const { password } = remote;
  remote.password = "";
  return {
    args: [findCli(), "db", "push", "--yes", "--skip-vault", `--remote=${remote.href}`, "--workdir", workDir],
    // A home of its own: the CLI writes a device id to it, and its libraries to the folder for temporary files.
    env: {
      ...baseEnvironment(),
      HOME: workDir,
      TMPDIR: workDir,
      PGPASSWORD: decodeURIComponent(password),
      ...QUIET_CLI,
    },
  };
}

async function push(options: MigrationOptions): Promise<void> {
  const { workDir } = options;
  try {
    await runTool({
      name: "supabase db push",
      command: process.execPath,
      ...pushCommand(options.projectDir, workDir, `${options.superuserUrl}?sslmode=disable`),
      cwd: workDir,
      logPath: options.logPath,
      registry: options.registry,
      signal: options.signal,
    });
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    throw new StackError("A migration failed; those before it are applied. Correct it and start again.", {
      cause: error,
      logPath: options.logPath,
    });
  }
}

function hashFiles(dir: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(dir, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function findCli(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("supabase/package.json")), "dist/supabase.js");
}
