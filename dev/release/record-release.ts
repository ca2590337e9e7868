// Writes releases/<version>: what the upgrade test needs of a release, without the history of the repository.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { z } from "zod";
import { runWrangler } from "../deploy/wrangler.ts";
import {
  CONFIGURATION,
  MIGRATION_HASHES,
  migrationsOf,
  RELEASES_DIR,
  recordedReleases,
  releasedConfiguration,
  releasedWorker,
  WORKER,
} from "./recorded-releases.ts";

/** Operators upgrade from the last release or from the one before it. */
const KEPT = 2;
const BUNDLE_TIMEOUT_MS = 180_000;

export interface ReleaseContent {
  readonly version: string;
  /** One minified ES module. */
  readonly worker: string;
  readonly configuration: string;
  readonly hashes: string;
}

/** @throws Error that names the files if the checkout has changes that are not committed */
export function requireCleanTree(checkout: string): void {
  // The record itself may be there already.
  const words = ["status", "--porcelain", "--", ".", ":(exclude)releases"];
  const changed = execFileSync("git", words, { cwd: checkout, encoding: "utf8" }).trimEnd();
  if (changed !== "") throw new Error(`Commit these changes first: a release is a state of the history.\n${changed}`);
}

/** Bundles the Worker of a checkout. @throws Error with wrangler's message if it does not build */
export async function readRelease(checkout: string): Promise<ReleaseContent> {
  const packageJson: unknown = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const { version } = z.object({ version: z.string() }).parse(packageJson);
  const source = readFileSync(join(checkout, "wrangler.toml"), "utf8");
  return {
    version,
    worker: await bundle(source, join(checkout, "functions/index.ts")),
    configuration: recordedConfiguration(source, 'main = "worker.js"\nno_bundle = true'),
    hashes: migrationsOf(checkout)
      .map(({ file, sha256 }) => `${sha256}  ${file}\n`)
      .join(""),
  };
}

/**
 * @returns the versions that were deleted because newer ones are recorded; null if this one was recorded already
 * @throws Error if this version is recorded with other content
 */
export function writeRelease(release: ReleaseContent): string[] | null {
  const { version, worker, configuration, hashes } = release;
  const folder = join(RELEASES_DIR, version);
  if (recordedReleases().some((recorded) => recorded.version === version)) {
    const isSame =
      releasedWorker(version) === worker &&
      releasedConfiguration(version) === configuration &&
      readFileSync(join(folder, MIGRATION_HASHES), "utf8") === hashes;
    if (isSame) return null;
    throw new Error(
      `Version ${version} is recorded with other content. Raise "version" in package.json, or delete releases/${version} if that version was never released.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, WORKER), compress(worker));
  writeFileSync(join(folder, CONFIGURATION), configuration);
  writeFileSync(join(folder, MIGRATION_HASHES), hashes);
  const old = recordedReleases().slice(0, -KEPT);
  for (const { version: former } of old) rmSync(join(RELEASES_DIR, former), { recursive: true });
  return old.map(({ version: former }) => former);
}

async function bundle(source: string, entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "dejavu-release-"));
  try {
    const configPath = join(folder, "wrangler.toml");
    writeFileSync(configPath, recordedConfiguration(source, `main = ${JSON.stringify(entry)}\nminify = true`));
    const outDir = join(folder, "out");
    const words = ["deploy", "--dry-run", "--outdir", outDir];
    const result = await runWrangler(words, { configPath, environment: "", timeoutMs: BUNDLE_TIMEOUT_MS });
    if (!result.ok) throw new Error(`The Worker does not build: ${result.detail}`);
    // The source map is not written.
    return readFileSync(join(outDir, "index.js"), "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The default environment of a wrangler.toml, for a script alone: without the static files, their build and the hosted
 * environments.
 */
export function recordedConfiguration(source: string, script: string): string {
  const [local = ""] = source.split(/^\[env\./m);
  return `${local
    .replace(/^\[build\]\n(?:\S.*\n)*/m, "")
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
