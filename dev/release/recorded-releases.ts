// Releases as `npm run release` records them: a compressed file each, releases/<version>.json.br.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };
import type { JsonObject } from "../api-document/json.ts";
import { REPO_DIR } from "../stack/paths.ts";

export const RELEASES_DIR = join(REPO_DIR, "releases");
const ENDING = ".json.br";

const releaseSchema = z.object({
  version: z.string(),
  /** The API document. */
  api: z.record(z.string(), z.json()).transform((document): JsonObject => document),
  /** The script of its Worker: one minified ES module. */
  worker: z.string(),
  /** Its wrangler.toml, with `worker.js` beside it as the script. */
  configuration: z.string(),
  /** In the order in which they are applied. */
  migrations: z.array(z.object({ file: z.string(), sha256: z.string() })),
});
export type Release = z.infer<typeof releaseSchema>;
export type Migration = Release["migrations"][number];

/** Oldest first. */
export function recordedReleases(): Release[] {
  if (!existsSync(RELEASES_DIR)) return [];
  return readdirSync(RELEASES_DIR)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => {
      const text = brotliDecompressSync(readFileSync(join(RELEASES_DIR, name))).toString("utf8");
      return releaseSchema.parse(JSON.parse(text));
    })
    .sort((a, b) => compareVersions(a.version, b.version));
}

/**
 * Releases that somebody may run: those below the version of package.json, which is raised once its release is published.
 * Oldest first.
 */
export function publishedReleases(releases = recordedReleases(), version = packageJson.version): Release[] {
  return releases.filter((release) => compareVersions(release.version, version) < 0);
}

export function recordPath(version: string): string {
  return join(RELEASES_DIR, `${version}${ENDING}`);
}

/** The migrations of this checkout, in the order in which they are applied. */
export function migrationsOf(): Migration[] {
  const folder = join(REPO_DIR, "supabase/migrations");
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
 * A published migration is applied in databases that nobody here can reach, so it never changes and none comes before it.
 * @returns what is wrong; null if the release's migrations are the first of the current ones, unchanged
 */
export function historyProblem(
  { version, migrations }: Pick<Release, "version" | "migrations">,
  current: readonly Migration[],
): string | null {
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

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
