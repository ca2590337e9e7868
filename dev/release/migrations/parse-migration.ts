// The statements of a migration, with their lines and the markers in the comments above them.

import type { Node } from "libpg-query";
import { loadModule, parseSync, SqlError } from "libpg-query";

export interface MigrationFile {
  readonly file: string;
  readonly sql: string;
}

export interface Marker {
  readonly line: number;
  /** `contract`: nothing uses these names since a release. `accepts`: the finding of a rule is acceptable. */
  readonly kind: "contract" | "accepts";
  /** The names, or the rule. */
  readonly subjects: readonly string[];
  /** The release, or the reason. */
  readonly text: string;
}

export interface Statement {
  readonly file: string;
  readonly line: number;
  readonly node: Node;
  readonly markers: readonly Marker[];
}

const CONTRACT = /^--\s*contract ([\w, ]+): unused since (\d+\.\d+\.\d+)\s*$/;
const ACCEPTS = /^--\s*accepts ([a-z-]+): (.+?)\s*$/;
/** White space and comments before a statement. */
const LEADING = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;

await loadModule();

/** @throws Error with file and line if it is no SQL */
export function parseMigration({ file, sql }: MigrationFile): Statement[] {
  const bytes = Buffer.from(sql);
  let end = 0;
  return parse(file, sql).map(({ stmt, stmt_location = 0, stmt_len = bytes.length - stmt_location }) => {
    // Offsets are in bytes, and a statement may begin before or after the comments above it.
    const text = bytes
      .subarray(end, stmt_location + stmt_len)
      .toString()
      .replace(/^;/, "");
    const firstLine = lineBreaks(bytes.subarray(0, end).toString()) + 1;
    end = stmt_location + stmt_len;
    const [leading = ""] = LEADING.exec(text) ?? [];
    if (stmt === undefined) throw new Error(`${file}:${firstLine} has an empty statement.`);
    return { file, line: firstLine + lineBreaks(leading), node: stmt, markers: markersIn(leading, firstLine) };
  });
}

function parse(file: string, sql: string) {
  try {
    return parseSync(sql).stmts ?? [];
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const line = lineBreaks(sql.slice(0, error.sqlDetails?.cursorPosition ?? 0)) + 1;
    throw new Error(`${file}:${line} is no SQL: ${error.message}.`, { cause: error });
  }
}

function markersIn(leading: string, firstLine: number): Marker[] {
  return leading.split("\n").flatMap((text, index): Marker[] => {
    const line = firstLine + index;
    const [, names, release] = CONTRACT.exec(text.trim()) ?? [];
    if (names !== undefined && release !== undefined)
      return [{ line, kind: "contract", subjects: names.split(/[, ]+/).filter(Boolean), text: release }];
    const [, rule, reason] = ACCEPTS.exec(text.trim()) ?? [];
    return rule === undefined || reason === undefined
      ? []
      : [{ line, kind: "accepts", subjects: [rule], text: reason }];
  });
}

function lineBreaks(text: string): number {
  return text.split("\n").length - 1;
}
