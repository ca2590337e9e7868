// `dejavu backup` and `restore`: the database to a file, and back.

import { resolve } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { databaseAddress } from "../../backup/database.ts";
import { readBackup } from "../../backup/read-backup.ts";
import { restoreBackup } from "../../backup/restore-backup.ts";
import { writeBackup } from "../../backup/write-backup.ts";
import { showProgress } from "../../find-stores.ts";
import { reading } from "../../service/file-error.ts";
import type { Invocation } from "../../service/invocation.ts";

export async function backup({ args: [path = ""], cli }: Invocation): Promise<void> {
  const file = resolve(path);
  const { tables, rows } = await writeBackup(file, {
    address: databaseAddress(cli.env),
    version: packageJson.version,
    onTable: (text) => showProgress(cli, text),
  });
  showProgress(cli, "");
  cli.print(`${file} has ${rows} rows of ${tables} tables.`);
}

export interface RestoreOptions {
  readonly check?: boolean;
  readonly replace?: boolean;
}

export async function restore({ args: [path = ""], options, cli }: Invocation<RestoreOptions>): Promise<void> {
  const file = resolve(path);
  if (options.check) {
    const { header, rows } = await reading(file, () => readBackup(file));
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const made = `made by Dejavu ${header.version} at ${header.created_at}`;
    cli.print(`The file is whole: ${total} rows of ${header.tables.length} tables, ${made}.`);
    return;
  }
  const address = databaseAddress(cli.env);
  const onTable = (text: string) => showProgress(cli, text);
  const { tables, rows } = await reading(file, () =>
    restoreBackup(file, { address, replace: options.replace === true, onTable }),
  );
  showProgress(cli, "");
  cli.print(`Restored ${rows} rows of ${tables} tables.`);
  cli.note("Now make the vector index: dejavu reindex");
}
