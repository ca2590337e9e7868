// Writes a backup: all tables as one transaction reads them, compressed, to a file that only its owner can read.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { link, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip, type Gzip } from "node:zlib";
import type postgres from "postgres";
import { z } from "zod";
import { removedAfter } from "../../dev/stack/system/temporary-folder.ts";
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
  return removedAfter(partial, async () => {
    const gzip = createGzip();
    const target = { gzip, version, onTable };
    const [read, stored] = await Promise.allSettled([
      withDatabase(address, (sql) => writeRows(sql, target)).finally(() => gzip.end()),
      pipeline(gzip, createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true })),
    ]);
    if (stored.status === "rejected") throw new Error(`${file} cannot be written: ${stored.reason.message}`);
    if (read.status === "rejected") throw read.reason;
    // Fails if the name has been taken meanwhile; a rename would overwrite.
    await link(partial, file);
    const counts = [...read.value.values()];
    return { tables: counts.length, rows: counts.reduce((sum, count) => sum + count, 0) };
  });
}

interface Target {
  readonly gzip: Gzip;
  readonly version: string;
  readonly onTable: (table: string) => void;
}

async function writeRows(sql: postgres.Sql, { gzip, version, onTable }: Target): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  // One snapshot: incidents, runs and memory fit together, while the service is in use.
  await sql.begin("isolation level repeatable read read only", async (snapshot) => {
    await snapshot`set local statement_timeout = 0`;
    const header = await readHeader(snapshot, version);
    // It fails for the pipeline, too, which reports it.
    const closed = once(gzip, "close").catch(() => {});
    // Goes on when the file has failed: the connection takes no other query before the end of a copy.
    for await (const bytes of lines(snapshot, { header, counts, onTable, isWanted: () => !gzip.destroyed }))
      if (!gzip.destroyed && !gzip.write(bytes)) await Promise.race([once(gzip, "drain").catch(() => {}), closed]);
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

interface Rows extends Pick<Target, "onTable"> {
  readonly header: BackupHeader;
  /** Of the tables that were read. */
  readonly counts: Map<string, number>;
  /** Asked before each table. */
  readonly isWanted: () => boolean;
}

async function* lines(sql: postgres.ISql, { header, counts, onTable, isWanted }: Rows): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const hashed = (chunk: Buffer): Buffer => {
    hash.update(chunk);
    return chunk;
  };
  yield hashed(line(header));
  for (const table of header.tables) {
    if (!isWanted()) return;
    onTable(table.name);
    yield hashed(line({ table: table.name }));
    let rows = 0;
    const copy = await sql.unsafe(`copy ${copyTarget(table)} to stdout`).readable();
    for await (const chunk of copy) {
      const bytes = z.instanceof(Buffer).parse(chunk);
      for (const byte of bytes) if (byte === NEWLINE) rows += 1;
      yield hashed(bytes);
    }
    // The library pauses the connection when the stream is full, and resumes it when it is read. The end of a full stream
    // leaves it paused, and the next query would wait for ever.
    copy._read(0);
    counts.set(table.name, rows);
    yield hashed(Buffer.from(`${END_OF_ROWS}\n`));
  }
  yield line({ end: Object.fromEntries(counts), sha256: hash.digest("hex") });
}

function line(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
