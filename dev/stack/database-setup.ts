/**
 * Applies `supabase/migrations` with the Supabase CLI, as a hosted project would. The CLI takes a second to find
 * nothing to do, so the files' hash is kept in the database and an unchanged set is not looked at again.
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { baseEnvironment } from "./environment.ts";
import { StackError } from "./system/errors.ts";
import type { Roster } from "./system/process-registry.ts";
import { runTool } from "./system/run-tool.ts";

/** Migrations may build indexes, but on a laptop's data. */
const PUSH_TIMEOUT_MS = 120_000;

export interface MigrationOptions {
  projectDir: string;
  /** A folder of our own for the CLI to work and to scribble in. */
  workDir: string;
  superuserUrl: string;
  logPath: string;
  roster: Roster;
  signal: AbortSignal;
}

/** @returns how many migrations there are, and whether the CLI had to run */
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
    // Outside `public`, so that the REST API does not show it.
    await sql`create schema if not exists dejavu_dev`;
    await sql`create table if not exists dejavu_dev.migration_push (hash text primary key, pushed_at timestamptz not null default now())`;
    const [last] = await sql<
      { hash: string }[]
    >`select hash from dejavu_dev.migration_push order by pushed_at desc limit 1`;
    if (last?.hash === hash) return { total: files.length, pushed: false };
    await push(options, sourceDir, files);
    await sql`insert into dejavu_dev.migration_push (hash) values (${hash}) on conflict (hash) do update set pushed_at = now()`;
    return { total: files.length, pushed: true };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function push(options: MigrationOptions, sourceDir: string, files: readonly string[]): Promise<void> {
  const { workDir } = options;
  const copyDir = join(workDir, "supabase/migrations");
  rmSync(workDir, { recursive: true, force: true });
  mkdirSync(copyDir, { recursive: true });
  for (const file of files) copyFileSync(join(sourceDir, file), join(copyDir, file));
  const configuration = join(options.projectDir, "supabase/config.toml");
  if (existsSync(configuration)) copyFileSync(configuration, join(workDir, "supabase/config.toml"));
  const remote = new URL(`${options.superuserUrl}?sslmode=disable`);
  // Not among the arguments, which everybody on the machine can read.
  const { password } = remote;
  remote.password = "";
  try {
    await runTool({
      name: "supabase db push",
      command: process.execPath,
      args: [findCli(), "db", "push", "--yes", "--skip-vault", `--remote=${remote.href}`, "--workdir", workDir],
      cwd: workDir,
      // Its own home: the CLI keeps a device id and a version check there.
      env: { ...baseEnvironment(), HOME: workDir, PGPASSWORD: password, SUPABASE_TELEMETRY_DISABLED: "1" },
      logPath: options.logPath,
      roster: options.roster,
      signal: options.signal,
      timeoutMs: PUSH_TIMEOUT_MS,
    });
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    throw new StackError("A migration failed; those before it are applied. Mend it and start again.", {
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
