// `dejavu backup`: writes the database to a file.

import { resolve } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { databaseAddress } from "../../backup/database.ts";
import { writeBackup } from "../../backup/write-backup.ts";
import { showProgress } from "../../find-stores.ts";
import type { Invocation } from "../../service/invocation.ts";

export async function run({ args: [path = ""], cli }: Invocation): Promise<void> {
  const file = resolve(path);
  const { tables, rows } = await writeBackup(file, {
    address: databaseAddress(cli.env),
    version: packageJson.version,
    onTable: (text) => showProgress(cli, text),
  });
  showProgress(cli, "");
  cli.print(`${file} has ${rows} rows of ${tables} tables.`);
}
