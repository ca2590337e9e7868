// The migrations of this checkout, and what the rules find in those since the last published release.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../../stack/paths.ts";
import { migrationsOf, publishedReleases } from "../recorded-releases.ts";
import { type LintResult, lintMigrations } from "./lint-migrations.ts";
import type { MigrationFile } from "./parse-migration.ts";

export interface CheckedMigrations extends LintResult {
  /** null while no version is published: no Worker needs the schema as it is. */
  readonly release: string | null;
  /** Files since then. */
  readonly added: readonly string[];
}

/** @param since a published release; by default the last one @throws Error if it is not recorded */
export function checkOwnMigrations(since?: string): CheckedMigrations {
  const published = publishedReleases();
  const release = since === undefined ? published.at(-1) : published.find(({ version }) => version === since);
  if (release === undefined) {
    if (since === undefined) return { release: null, added: [], problems: [], accepted: [] };
    const versions = published.map(({ version }) => version).join(", ");
    throw new Error(`Release ${since} is not among the published ones in releases/: ${versions || "none"}.`);
  }
  const count = release.migrations.length;
  const files = migrationsOf().map(({ file }): MigrationFile => {
    return { file, sql: readFileSync(join(REPO_DIR, "supabase/migrations", file), "utf8") };
  });
  const added = files.slice(count);
  const releases = published.map(({ version, worker }) => ({ version, script: worker }));
  const result = lintMigrations({ released: files.slice(0, count), added, releases });
  return { ...result, release: release.version, added: added.map(({ file }) => file) };
}
