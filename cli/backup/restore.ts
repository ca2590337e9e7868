// `npm run restore`: restores the database from a file.

import { resolve } from "node:path";
import { Command } from "commander";
import { showProgress } from "../find-stores.ts";
import { databaseAddress } from "./database.ts";
import { readBackup } from "./read-backup.ts";
import { restoreBackup } from "./restore-backup.ts";

const HELP = `
Writes to PostgreSQL at DATABASE_URL, or that of the stack that "npm start" runs. The database needs the migrations of
the Dejavu that made the backup, and no incidents or runbooks. Either everything is restored or nothing is changed.
Then run "npm run reindex", which makes the vector index.`;

const program = new Command("npm run restore --")
  .description("Restores the database from a backup.")
  .argument("<file>", 'a file that "npm run backup" made')
  .option("--check", "only check that the file is whole, without a database", false)
  .option("--replace", "delete what the database holds", false)
  .addHelpText("after", HELP)
  .allowExcessArguments(false);
program.parse();

async function main(file: string, { check, replace }: { check: boolean; replace: boolean }): Promise<void> {
  if (check) {
    const { header, rows } = await readBackup(file);
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const made = `made by Dejavu ${header.version} at ${header.created_at}`;
    console.log(`The file is whole: ${total} rows of ${header.tables.length} tables, ${made}.`);
    return;
  }
  const { tables, rows } = await restoreBackup(file, { address: databaseAddress(), replace, onTable: showProgress });
  showProgress("");
  console.log(`Restored ${rows} rows of ${tables} tables. Now run "npm run reindex".`);
}

try {
  await main(resolve(program.args[0] ?? ""), program.opts());
} catch (error) {
  showProgress("");
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
