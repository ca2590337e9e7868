// `npm run check:migrations`: which migrations came after a published release, and whether its Worker keeps working while they are
// applied and after it.

import { parseArgs } from "node:util";
import { checkOwnMigrations } from "./release/migrations/read-migrations.ts";

const USAGE = `Usage: npm run check:migrations [-- --since <release>]

Lists the migrations since a release, and what they do to its Worker: ? for an accepted wait, ✗ for a failure.

  --since <release>   a published one of releases/; the last one by default

Exit code: 0 if its Worker keeps working, otherwise 1.`;

try {
  const { values } = parseArgs({ options: { since: { type: "string" }, help: { type: "boolean" } } });
  if (values.help) console.log(USAGE);
  else report(values.since);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function report(since: string | undefined): void {
  const { release, added, problems, accepted } = checkOwnMigrations(since);
  if (release === null) {
    console.log("No version is published: migrations may change.");
    return;
  }
  console.log(`Migrations since ${release}: ${added.length}`);
  for (const file of added) console.log(`  ${file}`);
  for (const text of accepted) console.log(`? ${text}`);
  for (const text of problems) console.log(`✗ ${text}`);
  if (problems.length === 0) console.log(`✓ The Worker of ${release} keeps working on this schema.`);
  else process.exitCode = 1;
}
