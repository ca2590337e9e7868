// `npm run backup`: writes the database to a file.

import { resolve } from "node:path";
import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { showProgress } from "../find-stores.ts";
import { databaseAddress } from "./database.ts";
import { writeBackup } from "./write-backup.ts";

const HELP = `
Reads PostgreSQL at DATABASE_URL, or that of the stack that "npm start" runs. The service may be in use. The vector index
is not in the file: "npm run reindex" makes it anew after a restore. The file has the texts of all reports: keep it secret.`;

const program = new Command("npm run backup --")
  .description("Writes everything that the database holds to a new file.")
  .argument("<file>", "such as dejavu-2026-12-01.backup")
  .addHelpText("after", HELP)
  .allowExcessArguments(false);
program.parse();

try {
  const file = resolve(program.args[0] ?? "");
  const { tables, rows } = await writeBackup(file, {
    address: databaseAddress(),
    version: packageJson.version,
    onTable: showProgress,
  });
  showProgress("");
  console.log(`${file} has ${rows} rows of ${tables} tables.`);
} catch (error) {
  showProgress("");
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
