// The format of a backup file: gzip of lines. The first line describes the backup. Each table follows: a line of JSON,
// its rows in PostgreSQL's COPY text format, in which a row is one line, and the line `\.`. The last line has the number
// of rows of each table and a SHA-256 of all lines before it, so a shortened or changed file is recognised.

import { z } from "zod";

export const FORMAT = "dejavu-backup";
export const FORMAT_VERSION = 1;

/** Ends the rows of a table. COPY escapes a backslash in a value. */
export const END_OF_ROWS = "\\.";

const tableSchema = z.strictObject({ name: z.string(), columns: z.array(z.string()).min(1) });

export const headerSchema = z.object({
  format: z.literal(FORMAT),
  format_version: z.literal(FORMAT_VERSION),
  /** Version of Dejavu that made it. */
  version: z.string(),
  created_at: z.iso.datetime(),
  migrations: z.array(z.string()).min(1),
  tables: z.array(tableSchema).min(1),
  sequences: z.array(z.strictObject({ name: z.string(), last_value: z.string(), is_called: z.boolean() })),
});
export type BackupHeader = z.infer<typeof headerSchema>;

export const tableLineSchema = z.strictObject({ table: z.string() });

export const endSchema = z.strictObject({ end: z.record(z.string(), z.int().nonnegative()), sha256: z.string() });

export const DAMAGED = "The file is damaged or incomplete";
