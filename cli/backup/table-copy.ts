// Rows that are written to one table with COPY.

import { setImmediate } from "node:timers/promises";
import type postgres from "postgres";
import { copyTarget, type TableColumns } from "./database.ts";

export interface TableCopy {
  /** @param bytes whole rows in COPY text format */
  write(bytes: Buffer): Promise<void>;
  /** Returns when the rows are stored. */
  end(): Promise<void>;
}

export async function startCopy(sql: postgres.ISql, table: TableColumns): Promise<TableCopy> {
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
