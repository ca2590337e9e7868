// Projects for a stack: a recorded release with its migrations, and this version, both with the queues of the test.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordedConfiguration } from "../../../../../dev/release/record-release.ts";
import type { Release } from "../../../../../dev/release/recorded-releases.ts";
import { REPO_DIR } from "../../../../../dev/stack/paths.ts";
import { localConfiguration } from "../../../../../dev/stack/services/worker.ts";

const RELAY = readFileSync(new URL("./relay.js", import.meta.url), "utf8");
const SUPABASE_SETTINGS = "supabase/config.toml";
const MIGRATIONS = "supabase/migrations";

/** The Worker as it was released, on the schema that it was released with. */
export function writeFormerProject(dir: string, { worker, configuration, migrations }: Release): string {
  mkdirSync(join(dir, MIGRATIONS), { recursive: true });
  for (const { file } of migrations) copyFileSync(join(REPO_DIR, MIGRATIONS, file), join(dir, MIGRATIONS, file));
  copyFileSync(join(REPO_DIR, SUPABASE_SETTINGS), join(dir, SUPABASE_SETTINGS));
  writeFileSync(join(dir, "worker.js"), worker);
  // A record has no word vectors: those of today stand for them.
  for (const [, table = ""] of worker.matchAll(/"\.\/([\w-]+\.bin)"/g))
    copyFileSync(join(REPO_DIR, "lib/embedding/word-vectors.bin"), join(dir, table));
  writeFileSync(join(dir, "relay.js"), RELAY);
  const script = 'main = "relay.js"\nfind_additional_modules = true';
  const modules = '[[rules]]\ntype = "ESModule"\nglobs = ["worker.js"]\n';
  const withRelay = configuration.replace('main = "worker.js"', script);
  writeFileSync(join(dir, "wrangler.toml"), `${withRelay}\n${modules}`);
  return dir;
}

/** The Worker of this checkout. */
export function writeCurrentProject(dir: string): string {
  mkdirSync(dir, { recursive: true });
  const worker = JSON.stringify(join(REPO_DIR, "functions/index.ts"));
  writeFileSync(join(dir, "worker.js"), `export { default } from ${worker};\n`);
  writeFileSync(join(dir, "relay.js"), RELAY);
  const source = localConfiguration(readFileSync(join(REPO_DIR, "wrangler.toml"), "utf8"), REPO_DIR);
  writeFileSync(join(dir, "wrangler.toml"), recordedConfiguration(source, 'main = "relay.js"'));
  return dir;
}
