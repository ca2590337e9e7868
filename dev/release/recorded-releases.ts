// Releases as `npm run release` records them in releases/<version>: the bundled Worker, its configuration and the hashes
// of its migrations.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { REPO_DIR } from "../stack/paths.ts";

export const RELEASES_DIR = join(REPO_DIR, "releases");
/** Files of a recorded release. `MIGRATION_HASHES` is in the format of `sha256sum`. */
export const WORKER = "worker.js.br";
export const CONFIGURATION = "wrangler.toml";
export const MIGRATION_HASHES = "migrations.sha256";

export interface Migration {
  readonly file: string;
  readonly sha256: string;
}

export interface RecordedRelease {
  readonly version: string;
  readonly migrations: readonly Migration[];
}

/** Oldest first. */
export function recordedReleases(releasesDir = RELEASES_DIR): RecordedRelease[] {
  if (!existsSync(releasesDir)) return [];
  return readdirSync(releasesDir)
    .filter((name) => existsSync(join(releasesDir, name, MIGRATION_HASHES)))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((version) => ({ version, migrations: readHashes(join(releasesDir, version, MIGRATION_HASHES)) }));
}

/** The script of its Worker: one ES module. */
export function releasedWorker(version: string): string {
  return brotliDecompressSync(readFileSync(join(RELEASES_DIR, version, WORKER))).toString("utf8");
}

/** Its wrangler.toml, with `worker.js` beside it as the script. */
export function releasedConfiguration(version: string): string {
  return readFileSync(join(RELEASES_DIR, version, CONFIGURATION), "utf8");
}

/** The migrations of a checkout, in the order in which they are applied. */
export function migrationsOf(projectDir = REPO_DIR): Migration[] {
  const folder = join(projectDir, "supabase/migrations");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      file,
      sha256: createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex"),
    }));
}

/**
 * A released migration is applied in databases that nobody here can reach, so it never changes and none comes before it.
 * @returns what is wrong; null if the release's migrations are the first of the current ones, unchanged
 */
export function historyProblem({ version, migrations }: RecordedRelease, current: readonly Migration[]): string | null {
  for (const [index, { file, sha256 }] of migrations.entries()) {
    const own = current.find((migration) => migration.file === file);
    if (own === undefined) return `${file} is missing: release ${version} has applied it. Restore the file.`;
    if (own.sha256 !== sha256)
      return `${file} differs from release ${version}, which has applied it. Restore the file, and write the change as a new migration.`;
    const first = current[index];
    if (first !== undefined && first.file !== file)
      return `${first.file} comes before migrations of release ${version}. Give it a later time stamp.`;
  }
  return null;
}

function readHashes(path: string): Migration[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, sha256, file] = /^([0-9a-f]{64}) {2}(\S+\.sql)$/.exec(line) ?? [];
      if (sha256 === undefined || file === undefined) throw new Error(`${path} has a line without a hash: "${line}".`);
      return { file, sha256 };
    });
}
