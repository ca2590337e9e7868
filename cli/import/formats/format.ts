// What a format of another system's incidents provides.

import type { Original } from "./original.ts";
import type { Table } from "./read-table.ts";

/** As `--format` names them. */
export const FORMAT_NAMES = ["postmortem", "pagerduty", "opsgenie", "jira", "csv"] as const;

export interface ImportFile {
  /** Path below the folder that is imported; the name of a single file. */
  readonly path: string;
  readonly text: string;
  /** The document of a JSON file; undefined for other files. */
  readonly json: unknown;
  /** The rows of a CSV file; undefined for other files. */
  readonly table: Table | undefined;
}

export interface ReadOptions {
  /** The column or field that says what fixed it; null for the usual ones. */
  readonly fix: string | null;
  /** Columns by field, as the user names them. */
  readonly columns: ReadonlyMap<string, string>;
}

export interface ImportFormat {
  readonly name: (typeof FORMAT_NAMES)[number];
  /** The system of its incidents; null if the name of the file is. */
  readonly system: string | null;
  /** Null for a file of another format. @throws Error that continues the path of a file that it cannot read */
  readonly read: (file: ImportFile, options: ReadOptions) => readonly Original[] | null;
}
