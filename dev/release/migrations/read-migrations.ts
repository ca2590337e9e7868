// The migrations of this checkout, and what the rules find in those since the last recorded release.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../../stack/paths.ts";
import { migrationsOf, recordedReleases, releasedWorker } from "../recorded-releases.ts";
import { type LintResult, lintMigrations } from "./lint-migrations.ts";
import type { MigrationFile } from "./parse-migration.ts";

export interface CheckedMigrations extends LintResult {
  readonly release: string;
  /** Files since then. */
  readonly added: readonly string[];
}

/** @param since a recorded release; by default the last one @throws Error if it is not recorded */
export function checkOwnMigrations(since?: string): CheckedMigrations {
  const recorded = recordedReleases();
  const release = since === undefined ? recorded.at(-1) : recorded.find(({ version }) => version === since);
  if (release === undefined) {
    const versions = recorded.map(({ version }) => version).join(", ");
    throw new Error(`Release ${since ?? "(the last one)"} is not recorded. releases/ has: ${versions || "none"}.`);
  }
  const count = release.migrations.length;
  const files = migrationsOf().map(({ file }): MigrationFile => {
    return { file, sql: readFileSync(join(REPO_DIR, "supabase/migrations", file), "utf8") };
  });
  const added = files.slice(count);
  const releases = recorded.map(({ version }) => ({ version, script: releasedWorker(version) }));
  const result = lintMigrations({ released: files.slice(0, count), added, releases });
  return { ...result, release: release.version, added: added.map(({ file }) => file) };
}
