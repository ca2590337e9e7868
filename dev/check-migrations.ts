// `npm run check:migrations`: which migrations came after the last release, and whether its Worker keeps working while
// they are applied and after it.

import { checkOwnMigrations } from "./release/migrations/read-migrations.ts";

const { release, added, problems, accepted } = checkOwnMigrations();
console.log(`${added.length} migrations since ${release ?? "the beginning"}.`);
for (const text of accepted) console.log(`? ${text}`);
for (const text of problems) console.error(`✗ ${text}`);
if (problems.length === 0) console.log("✓ The Worker of the last release keeps working on this schema.");
else process.exitCode = 1;
