// The migrations of this checkout, and what the rules find in those since the last recorded release.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../../stack/paths.ts";
import { migrationsOf, recordedReleases, releasedWorker } from "../recorded-releases.ts";
import { type LintResult, lintMigrations } from "./lint-migrations.ts";
import type { MigrationFile } from "./parse-migration.ts";

export interface CheckedMigrations extends LintResult {
  /** The last release; undefined without any. */
  readonly release: string | undefined;
  /** Files since then. */
  readonly added: readonly string[];
}

export function checkOwnMigrations(): CheckedMigrations {
  const recorded = recordedReleases();
  const last = recorded.at(-1);
  const count = last?.migrations.length ?? 0;
  const files = migrationsOf().map(({ file }): MigrationFile => {
    return { file, sql: readFileSync(join(REPO_DIR, "supabase/migrations", file), "utf8") };
  });
  const added = files.slice(count);
  const releases = recorded.map(({ version }) => ({ version, script: releasedWorker(version) }));
  const result = lintMigrations({ released: files.slice(0, count), added, releases });
  return { ...result, release: last?.version, added: added.map(({ file }) => file) };
}
