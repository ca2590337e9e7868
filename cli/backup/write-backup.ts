// Writes a backup: all tables as one transaction reads them, compressed, to a file that only its owner can read.

import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { link, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type postgres from "postgres";
import { z } from "zod";
import { type BackupHeader, END_OF_ROWS, FORMAT, FORMAT_VERSION } from "./archive-format.ts";
import { copyTarget, readMigrations, readSequences, readTables, withDatabase } from "./database.ts";

export interface BackupReport {
  readonly tables: number;
  readonly rows: number;
}

const NEWLINE = 10;

/**
 * The file appears under its name only when it is complete.
 * @throws Error when the file exists, and when the database fails
 */
export async function writeBackup(
  file: string,
  { address, version, onTable = () => {} }: { address: string; version: string; onTable?: (table: string) => void },
): Promise<BackupReport> {
  if (existsSync(file)) throw new Error(`${file} exists. Choose another name: a backup is never overwritten.`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  try {
    const rows = await withDatabase(address, (sql) => writeRows(sql, { partial, version, onTable }));
    // Fails if the name has been taken meanwhile; a rename would overwrite.
    await link(partial, file);
    return { tables: rows.size, rows: [...rows.values()].reduce((sum, count) => sum + count, 0) };
  } finally {
    await rm(partial, { force: true });
  }
}

interface Target {
  readonly partial: string;
  readonly version: string;
  readonly onTable: (table: string) => void;
}

async function writeRows(sql: postgres.Sql, { partial, version, onTable }: Target): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  // One snapshot: incidents, runs and memory fit together, while the service is in use.
  await sql.begin("isolation level repeatable read read only", async (snapshot) => {
    await snapshot`set local statement_timeout = 0`;
    const header = await readHeader(snapshot, version);
    await pipeline(
      Readable.from(lines(snapshot, { header, counts, onTable })),
      createGzip(),
      createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }),
    );
  });
  return counts;
}

async function readHeader(sql: postgres.ISql, version: string): Promise<BackupHeader> {
  const sequences = await readSequences(sql);
  return {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    version,
    created_at: new Date().toISOString(),
    migrations: await readMigrations(sql),
    tables: (await readTables(sql)).map(({ name, columns }) => ({ name, columns: [...columns] })),
    sequences: sequences.map(({ name, lastValue, isCalled }) => ({ name, last_value: lastValue, is_called: isCalled })),
  };
}

async function* lines(
  sql: postgres.ISql,
  { header, counts, onTable }: { header: BackupHeader; counts: Map<string, number>; onTable: (table: string) => void },
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const hashed = (chunk: Buffer): Buffer => {
    hash.update(chunk);
    return chunk;
  };
  yield hashed(line(header));
  for (const table of header.tables) {
    onTable(table.name);
    yield hashed(line({ table: table.name }));
    let rows = 0;
    for await (const chunk of await sql.unsafe(`copy ${copyTarget(table)} to stdout`).readable()) {
      const bytes = z.instanceof(Buffer).parse(chunk);
      for (const byte of bytes) if (byte === NEWLINE) rows += 1;
      yield hashed(bytes);
    }
    counts.set(table.name, rows);
    yield hashed(Buffer.from(`${END_OF_ROWS}\n`));
  }
  yield line({ end: Object.fromEntries(counts), sha256: hash.digest("hex") });
}

function line(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
