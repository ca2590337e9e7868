// Writes releases/<version>.json.br: what tests of later versions need of a release, without the history of the repository.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import packageJson from "../../package.json" with { type: "json" };
import { currentDocument } from "../api-document/current-document.ts";
import { runWrangler } from "../deploy/wrangler.ts";
import { REPO_DIR } from "../stack/paths.ts";
import { localConfiguration, withoutHostedPart } from "../stack/services/worker.ts";
import { withTemporaryFolder } from "../stack/system/temporary-folder.ts";
import { migrationsOf, publishedReleases, RELEASES_DIR, type Release, recordPath } from "./recorded-releases.ts";

/** Operators upgrade from the last published release or from the one before it. */
const KEPT = 2;
const BUNDLE_TIMEOUT_MS = 180_000;

/** @throws Error that names the files if the checkout has changes that are not committed */
export function requireCleanTree(): void {
  // The record itself may be there already.
  const words = ["status", "--porcelain", "--", ".", ":(exclude)releases"];
  const changed = execFileSync("git", words, { cwd: REPO_DIR, encoding: "utf8" }).trimEnd();
  if (changed !== "") throw new Error(`Commit these changes first: a release is a state of the history.\n${changed}`);
}

/** This checkout as a release. @throws Error with wrangler's message if its Worker does not build */
export async function currentRelease(): Promise<Release> {
  const source = readFileSync(join(REPO_DIR, "wrangler.toml"), "utf8");
  // The bundle has no imports to replace.
  const withoutAliases = source.replace(/^\[alias\]\n(?:\S.*\n)*/m, "");
  return {
    version: packageJson.version,
    api: currentDocument(),
    worker: await bundle(source),
    configuration: recordedConfiguration(withoutAliases, 'main = "worker.js"\nno_bundle = true'),
    migrations: migrationsOf(),
  };
}

/** @returns the size of the record in bytes, and the versions that were deleted because newer ones are published */
export function writeRelease(release: Release): { bytes: number; deleted: string[] } {
  const record = compress(JSON.stringify(release));
  mkdirSync(RELEASES_DIR, { recursive: true });
  writeFileSync(recordPath(release.version), record);
  const deleted = publishedReleases()
    .slice(0, -KEPT)
    .map(({ version }) => version);
  for (const version of deleted) rmSync(recordPath(version));
  return { bytes: record.length, deleted };
}

async function bundle(source: string): Promise<string> {
  return withTemporaryFolder("dejavu-release-", async (folder) => {
    const configPath = join(folder, "wrangler.toml");
    const entry = JSON.stringify(join(REPO_DIR, "functions/index.ts"));
    const configuration = localConfiguration(source, REPO_DIR);
    writeFileSync(configPath, recordedConfiguration(configuration, `main = ${entry}\nminify = true`));
    const outDir = join(folder, "out");
    const words = ["deploy", "--dry-run", "--outdir", outDir];
    const result = await runWrangler(words, { configPath, environment: "", timeoutMs: BUNDLE_TIMEOUT_MS });
    if (!result.ok) throw new Error(`The Worker does not build: ${result.detail}`);
    // The source map is not written.
    return readFileSync(join(outDir, "index.js"), "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  });
}

/** A wrangler.toml for a script alone: without the static files and the hosted part. */
export function recordedConfiguration(source: string, script: string): string {
  return `${withoutHostedPart(source)
    .replace(/^\[assets\]\n(?:\S.*\n)*/m, "")
    .replace(/^(?:minify|upload_source_maps) = .*\n/gm, "")
    .replace(/^#.*\n/gm, "")
    .replace(/^main = .*$/m, () => script)
    .replace(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

function compress(text: string): Buffer {
  const content = Buffer.from(text);
  return brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}
