// `npm run release`: records the version of package.json in releases/, for the tests of later versions. releases/openapi.json
// is the API of the last release; releases/<version>/ holds its Worker and the hashes of its migrations.

import { statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stopOnSignal } from "./deploy/wrangler.ts";
import { apiChanges, versionProblem } from "./release/api-changes.ts";
import { RELEASED, releasedDocument, servedDocument, versionOf } from "./release/api-document.ts";
import { readRelease, requireCleanTree, writeRelease } from "./release/record-release.ts";
import { historyProblem, migrationsOf, RELEASES_DIR, recordedReleases, WORKER } from "./release/recorded-releases.ts";
import { REPO_DIR } from "./stack/paths.ts";

const USAGE = `Usage: npm run release [-- --checkout <folder>]

Records the version in package.json: its API, its Worker and the hashes of its migrations. Commit releases/ afterwards.

  --checkout <folder>   records the Worker and the migrations of another checkout, such as that of a former version`;

stopOnSignal();
try {
  const { values } = parseArgs({ options: { checkout: { type: "string" }, help: { type: "boolean" } } });
  if (values.help) console.log(USAGE);
  else await record(values.checkout === undefined ? REPO_DIR : resolve(values.checkout));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function record(checkout: string): Promise<void> {
  requireCleanTree(checkout);
  const problems = recordedReleases().map((release) => historyProblem(release, migrationsOf()));
  for (const problem of problems) if (problem !== null) throw new Error(problem);
  const api = checkout === REPO_DIR ? await nextApi() : null;
  console.log("Bundling the Worker, about 10 s…");
  const release = await readRelease(checkout);
  const deleted = writeRelease(release);
  api?.write();
  const folder = relative(process.cwd(), join(RELEASES_DIR, release.version));
  if (deleted === null) console.log(`Version ${release.version} is recorded already, with the same content.`);
  else {
    const kilobytes = Math.round(statSync(join(RELEASES_DIR, release.version, WORKER)).size / 1_000);
    const migrations = release.hashes.trimEnd().split("\n").length;
    console.log(`Recorded ${folder}: the Worker (${kilobytes} kB) and the hashes of ${migrations} migrations.`);
    for (const version of deleted) console.log(`Deleted releases/${version}: the last two releases are kept.`);
  }
  if (api !== null) console.log(api.summary);
}

/** @throws Error if the version does not cover the changes of the API */
async function nextApi(): Promise<{ readonly summary: string; write(): void }> {
  const served = await servedDocument();
  const version = versionOf(served);
  const released = releasedDocument();
  const changes = apiChanges(released, served);
  const problem = versionProblem(changes, versionOf(released), version);
  if (problem !== null) throw new Error(problem);
  const breaking = changes.filter((change) => change.breaking).length;
  return {
    summary: `Recorded the API of ${version}: ${changes.length} changes since ${versionOf(released)}, ${breaking} of them breaking.`,
    write: () => writeFileSync(RELEASED, `${JSON.stringify(served, null, 1)}\n`),
  };
}
