// Owns how TypeScript types are made from a database: by the Supabase CLI, which needs no Docker for that.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../node_modules/.bin/supabase", import.meta.url));

/** The content of supabase/database-types.ts for this database. @throws Error with the CLI's words */
export function databaseTypes(postgresUrl: string): string {
  const cli = spawnSync(CLI, ["gen", "types", "--lang", "typescript", `--remote=${postgresUrl}?sslmode=disable`], {
    encoding: "utf8",
    env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: "1", NO_COLOR: "1" },
  });
  if (cli.status !== 0) throw new Error(`The Supabase CLI could not read the schema:\n${cli.stderr}`);
  return cli.stdout;
}
