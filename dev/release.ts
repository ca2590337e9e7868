// `npm run release`: records the version of package.json in releases/, for the tests of later versions.

import { relative } from "node:path";
import { parseArgs } from "node:util";
import { stopOnSignal } from "./deploy/wrangler.ts";
import { apiChanges, versionProblem } from "./release/api-changes.ts";
import { requirePassedCommit } from "./release/passed-commit.ts";
import { currentRelease, requireCleanTree, writeRelease } from "./release/record-release.ts";
import { historyProblem, publishedReleases, type Release, recordPath } from "./release/recorded-releases.ts";
import { REPO_DIR } from "./stack/paths.ts";

const USAGE = `Usage: npm run release

Records the version in package.json: its API, its Worker and the hashes of its migrations. \`npm run test:all\` must have
passed on this commit. Until this version is published and package.json has a higher one, each run replaces the record.
Commit releases/ afterwards.`;

stopOnSignal();
try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) console.log(USAGE);
  else await record();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function record(): Promise<void> {
  requireCleanTree();
  requirePassedCommit(REPO_DIR);
  console.log("Bundling the Worker, about 10 s…");
  const release = await currentRelease();
  const published = publishedReleases();
  for (const former of published) refuse(historyProblem(former, release.migrations));
  const changes = changesSince(published.at(-1), release);
  const { bytes, deleted } = writeRelease(release);
  const path = relative(process.cwd(), recordPath(release.version));
  const size = `${Math.round(bytes / 1_000)} kB, ${release.migrations.length} migrations`;
  console.log(`Recorded ${path}: ${size}${changes}.`);
  for (const version of deleted) console.log(`Deleted the record of ${version}: the last two published ones are kept.`);
}

/** @throws Error if the version does not cover the changes of the API */
function changesSince(former: Release | undefined, release: Release): string {
  if (former === undefined) return "";
  const changes = apiChanges(former.api, release.api);
  refuse(versionProblem(changes, former.version, release.version));
  const breaking = changes.filter((change) => change.breaking).length;
  return `, ${changes.length} changes of the API since ${former.version}, ${breaking} of them breaking`;
}

function refuse(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}
