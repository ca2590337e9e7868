// Applies the migrations of this checkout as an operator does, while requests go on.

import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { migrationsOf } from "../../../../../dev/release/recorded-releases.ts";
import { REPO_DIR } from "../../../../../dev/stack/paths.ts";

const CLI = join(REPO_DIR, "node_modules/supabase/dist/supabase.js");

const MAX_PUSHES = 5;

/** @param workDir a folder for the CLI, which writes files to it */
export async function pushSchema(postgresUrl: string, workDir: string): Promise<void> {
  mkdirSync(join(workDir, "supabase/migrations"), { recursive: true });
  const files = ["config.toml", ...migrationsOf().map(({ file }) => `migrations/${file}`)];
  for (const file of files) copyFileSync(join(REPO_DIR, "supabase", file), join(workDir, "supabase", file));
  const words = [
    "db",
    "push",
    "--yes",
    "--skip-vault",
    `--remote=${postgresUrl}?sslmode=disable`,
    "--workdir",
    workDir,
  ];
  // A home of its own: the CLI writes a device id and a version check to it.
  const env = { ...process.env, HOME: workDir, SUPABASE_TELEMETRY_DISABLED: "1" };
  for (let triesLeft = MAX_PUSHES; ; triesLeft--) {
    try {
      await promisify(execFile)(process.execPath, [CLI, ...words], { cwd: workDir, env });
      return;
    } catch (error) {
      // A migration may lose a deadlock against a request. Nothing of it is applied, and the guide says to push again.
      if (triesLeft === 1 || !String(error).includes("40P01")) throw error;
    }
  }
}

/**
 * Repeats a request until the work is done, and a few times after it.
 * @returns the number of requests
 * @throws the error of the work, or of the first request that fails
 */
export async function during(work: Promise<void>, send: () => Promise<void>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  const AFTER = 3;
  let sent = 0;
  const repeat = async () => {
    for (let left = AFTER; left > 0; sent++) {
      await send();
      if (isDone) left--;
    }
  };
  // The work ends in any case: what follows does not start on half of it.
  for (const result of await Promise.allSettled([ended, repeat()]))
    if (result.status === "rejected") throw result.reason;
  return sent;
}
