// The bundle of the Worker as it would be uploaded: it proves that the Worker builds, and identifies what is deployed.

import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPO_DIR } from "../../stack/paths.ts";
import { withTemporaryFolder } from "../../stack/system/temporary-folder.ts";
import type { SettingValues } from "../settings-file.ts";
import { runWrangler, type WranglerOptions } from "../wrangler.ts";
import { DeployError } from "./person.ts";

const BUILD_TIMEOUT_MS = 300_000;
const ASSETS_STAMP = "build/assets/built-from.txt";
/** Cloudflare takes tags of 25 characters. */
const TAG_LENGTH = 20;

/**
 * Builds the Worker, and uploads nothing.
 * @returns the tag of the version with this code, configuration and settings: it says nothing about their values
 * @throws DeployError if it does not build
 */
export async function buildTag(options: WranglerOptions, settings: SettingValues): Promise<string> {
  return withTemporaryFolder("dejavu-bundle-", async (folder) => {
    const words = ["deploy", "--dry-run", "--outdir", folder];
    const result = await runWrangler(words, { ...options, timeoutMs: BUILD_TIMEOUT_MS });
    if (!result.ok) throw new DeployError(`The Worker does not build: ${result.detail}`);
    const files = readdirSync(folder).filter((name) => !/\.(?:map|md)$/.test(name));
    const parts = [
      ...files.sort().map((name) => readFileSync(join(folder, name))),
      readFileSync(join(REPO_DIR, ASSETS_STAMP)),
      readFileSync(options.configPath),
      JSON.stringify(Object.entries(settings).sort()),
    ];
    return tagOf(parts, settings.DEJAVU_TOKEN ?? "");
  });
}

function tagOf(parts: readonly (string | Buffer)[], key: string): string {
  const hash = createHmac("sha256", key);
  for (const part of parts) hash.update(createHmac("sha256", key).update(part).digest());
  return hash.digest("hex").slice(0, TAG_LENGTH);
}
