// Restores a backup in one transaction: afterwards the database has every row of the backup, or is unchanged.

import { setImmediate } from "node:timers/promises";
import type postgres from "postgres";
import type { BackupHeader } from "./archive-format.ts";
import { copyTarget, quoted, readMigrations, readTables, type TableColumns, withDatabase } from "./database.ts";
import { readBackup } from "./read-backup.ts";

/** The migrations themselves put rows into these tables; `domains` has one of them, `general`. */
const FILLED_BY_MIGRATIONS = ["collections", "domains", "metric_counters", "restricted_functions"];

/** Longer than a request of the Worker takes. */
const LOCK_TIMEOUT = "15s";

export interface RestoreOptions {
  readonly address: string;
  /** Deletes the rows that the database has. */
  readonly replace?: boolean;
  readonly onTable?: (table: string) => void;
}

export interface RestoreReport {
  readonly header: BackupHeader;
  readonly tables: number;
  readonly rows: number;
}

/** @throws Error when the file is not whole, the schema is another one, or the database is not empty */
export async function restoreBackup(
  file: string,
  { address, replace = false, onTable = () => {} }: RestoreOptions,
): Promise<RestoreReport> {
  // Reads the whole file first, so that a damaged one does not lock the tables.
  const { header, rows } = await readBackup(file);
  await withDatabase(address, (sql) =>
    sql.begin(async (transaction) => {
      await transaction.unsafe(`set local lock_timeout = '${LOCK_TIMEOUT}'; set local statement_timeout = 0`);
      await compareSchemas(transaction, header);
      const names = header.tables.map(({ name }) => `public.${quoted(name)}`).join(", ");
      await transaction.unsafe(`lock table ${names} in access exclusive mode`);
      if (!replace) await refuseRows(transaction, header);
      // Neither triggers nor foreign keys: the rows are those of one consistent state.
      await transaction.unsafe(`set local session_replication_role = replica; truncate ${names}`);
      await copyRows(transaction, { file, header, onTable });
      for (const { name, last_value, is_called } of header.sequences)
        await transaction`select setval(${`public.${quoted(name)}`}::regclass, ${last_value}::bigint, ${is_called})`;
      await compareRows(transaction, rows);
    }),
  );
  // Without new statistics, queries of the next minutes are slow.
  await withDatabase(address, (sql) => sql.unsafe("analyze"));
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return { header, tables: header.tables.length, rows: total };
}

async function compareSchemas(sql: postgres.ISql, header: BackupHeader): Promise<void> {
  const applied = await readMigrations(sql);
  const isNewer = header.migrations.some((version) => !applied.includes(version));
  const isOlder = applied.some((version) => !header.migrations.includes(version));
  const last = (versions: readonly string[]) => versions.at(-1) ?? "none";
  const schemas = `The backup has the schema of migration ${last(header.migrations)}, the database that of ${last(applied)}.`;
  if (isNewer)
    throw new Error(`${schemas} The backup is newer: apply the migrations of Dejavu ${header.version} first.`);
  if (isOlder) {
    throw new Error(
      `${schemas} The backup is older: restore it into a database with the migrations of Dejavu ${header.version} only, then apply the newer ones.`,
    );
  }
  const columns = (tables: readonly { name: string; columns: readonly string[] }[]) =>
    JSON.stringify(tables.map((table) => [table.name, [...table.columns].sort()]));
  if (columns(await readTables(sql)) !== columns(header.tables))
    throw new Error("The tables of the database are not those of its migrations: it was changed by hand.");
}

async function refuseRows(sql: postgres.ISql, { tables }: BackupHeader): Promise<void> {
  const filled: string[] = [];
  for (const { name } of tables) {
    if (FILLED_BY_MIGRATIONS.includes(name)) continue;
    const rows = await sql.unsafe(`select from public.${quoted(name)} limit 1`);
    if (rows.length > 0) filled.push(name);
  }
  const [domain] = await sql`select from public.domains where name <> 'general' limit 1`;
  if (domain) filled.push("domains");
  if (filled.length === 0) return;
  const shown = filled.slice(0, 3).join(", ") + (filled.length > 3 ? ", …" : "");
  throw new Error(
    `The database is not empty: ${filled.length} of its tables have rows (${shown}). Nothing was changed. --replace deletes them and restores the backup.`,
  );
}

interface CopyOptions {
  readonly file: string;
  readonly header: BackupHeader;
  readonly onTable: (table: string) => void;
}

async function copyRows(sql: postgres.ISql, { file, header, onTable }: CopyOptions): Promise<void> {
  let copy: TableCopy | undefined;
  await readBackup(file, {
    rows: async (name, bytes) => {
      if (copy === undefined) {
        onTable(name);
        const table = header.tables.find((each) => each.name === name);
        if (table === undefined) throw new Error(`The backup has no table ${name}.`);
        copy = await startCopy(sql, table);
      }
      await copy.write(bytes);
    },
    endTable: async () => {
      await copy?.end();
      copy = undefined;
    },
  });
}

async function compareRows(sql: postgres.ISql, expected: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, rows] of Object.entries(expected)) {
    const [stored] = await sql.unsafe(`select count(*)::int as count from public.${quoted(name)}`);
    if (stored?.count !== rows)
      throw new Error(`Table ${name} has ${stored?.count} rows in place of ${rows}. Nothing was changed.`);
  }
}

interface TableCopy {
  /** @param bytes whole rows in COPY text format */
  write(bytes: Buffer): Promise<void>;
  /** Returns when the rows are stored. */
  end(): Promise<void>;
}

async function startCopy(sql: postgres.ISql, table: TableColumns): Promise<TableCopy> {
  const stream = await sql.unsafe(`copy ${copyTarget(table)} from stdin`).writable();
  const failed = new Promise<never>((_, reject) => stream.once("error", reject));
  const refused = (cause: unknown) =>
    new Error(
      `PostgreSQL does not accept the rows of table ${table.name}. Nothing was changed. The log of PostgreSQL has the reason.`,
      { cause },
    );
  // Nobody may be waiting when it fails; the next call reports it.
  failed.catch(() => undefined);
  return {
    write: (bytes) =>
      Promise.race([failed, new Promise<void>((resolve) => stream.write(bytes, () => resolve()))]).catch((cause) => {
        throw refused(cause);
      }),
    end: async () => {
      stream.end();
      try {
        await Promise.race([failed, setImmediate()]);
        // The stream does not finish if the server refuses the rows after its end; the next statement then fails.
        await Promise.race([failed, sql`select 1`]);
      } catch (cause) {
        throw refused(cause);
      }
    },
  };
}
