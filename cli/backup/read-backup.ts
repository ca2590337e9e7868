// Reads a backup: its header, its rows table by table, and whether the file is whole.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { z } from "zod";
import { type BackupHeader, DAMAGED, END_OF_ROWS, endSchema, headerSchema, tableLineSchema } from "./archive-format.ts";

const NO_BACKUP = `${DAMAGED}, or it is not a backup of Dejavu.`;

const NEWLINE = 10;
/** Rows that are passed on together. */
const BATCH_BYTES = 256 * 1_024;

export interface BackupHandler {
  header?(header: BackupHeader): Promise<void>;
  /** Rows in COPY text format, each with its newline. */
  rows?(table: string, bytes: Buffer): Promise<void>;
  endTable?(table: string): Promise<void>;
}

/**
 * Reads the file from start to end and passes its parts on.
 * @returns the header, and the rows of each table
 * @throws Error when the file is missing, damaged, incomplete or no backup; parts may have been passed on by then
 */
export async function readBackup(
  file: string,
  handler: BackupHandler = {},
): Promise<{ header: BackupHeader; rows: Record<string, number> }> {
  const reader = new BackupReader(handler);
  try {
    await pipeline(createReadStream(file), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const line of completeLines(chunks)) await reader.take(line);
    });
  } catch (error) {
    throw explained(error, file);
  }
  return reader.finish();
}

/** Lines with their newline. @throws Error for a last line without one */
async function* completeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = chunk.subarray(start, end + 1);
      yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) throw new Error(`${DAMAGED}: its last line is cut off.`);
}

class BackupReader {
  readonly #handler: BackupHandler;
  readonly #hash = createHash("sha256");
  readonly #counts = new Map<string, number>();
  #header: BackupHeader | undefined;
  #table: string | undefined;
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #isComplete = false;

  constructor(handler: BackupHandler) {
    this.#handler = handler;
  }

  async take(line: Buffer): Promise<void> {
    if (this.#isComplete) throw new Error(`${DAMAGED}: there are lines after its end.`);
    if (this.#table !== undefined) {
      this.#hash.update(line);
      return this.#takeRow(this.#table, line);
    }
    if (this.#header === undefined) {
      this.#header = parseLine(line, headerSchema);
      this.#hash.update(line);
      return this.#handler.header?.(this.#header);
    }
    const next = this.#header.tables[this.#counts.size];
    if (next === undefined) return this.#takeEnd(line);
    const { table } = parseLine(line, tableLineSchema);
    if (table !== next.name) throw new Error(`${DAMAGED}: table ${next.name} is missing.`);
    this.#hash.update(line);
    this.#table = table;
    this.#counts.set(table, 0);
  }

  async #takeRow(table: string, line: Buffer): Promise<void> {
    if (line.length === END_OF_ROWS.length + 1 && line.toString("utf8", 0, END_OF_ROWS.length) === END_OF_ROWS) {
      await this.#passOn(table);
      await this.#handler.endTable?.(table);
      this.#table = undefined;
      return;
    }
    this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
    this.#batch.push(line);
    this.#batchBytes += line.length;
    if (this.#batchBytes >= BATCH_BYTES) await this.#passOn(table);
  }

  async #passOn(table: string): Promise<void> {
    const bytes = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    if (bytes.length > 0) await this.#handler.rows?.(table, bytes);
  }

  #takeEnd(line: Buffer): void {
    const { end, sha256 } = parseLine(line, endSchema);
    if (sha256 !== this.#hash.digest("hex")) throw new Error(`${DAMAGED}: its checksum does not match.`);
    for (const [table, rows] of this.#counts) {
      if (end[table] !== rows)
        throw new Error(`${DAMAGED}: table ${table} has ${rows} rows in place of ${end[table]}.`);
    }
    this.#isComplete = true;
  }

  finish(): { header: BackupHeader; rows: Record<string, number> } {
    if (!this.#header || !this.#isComplete) throw new Error(`${DAMAGED}: its end is missing.`);
    return { header: this.#header, rows: Object.fromEntries(this.#counts) };
  }
}

/** A damaged compressed file may give wrong lines before its own checksum, which comes last, shows the damage. */
function parseLine<T>(line: Buffer, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch (cause) {
    throw new Error(NO_BACKUP, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`${DAMAGED}, or it is no backup that this version of Dejavu can read.`, { cause: parsed.error });
}

function explained(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return new Error(`There is no file ${file}.`, { cause: error });
  if (code === "Z_DATA_ERROR" || code === "Z_BUF_ERROR") return new Error(NO_BACKUP, { cause: error });
  return error;
}
