// Names in the columns of a table, as kubectl, docker and ps print it. Pure functions.

import { kindOfKey } from "./name-of-key.ts";
import type { NameKind } from "./placeholder.ts";

export interface TableName {
  readonly kind: NameKind;
  readonly name: string;
}

/** Two columns at least, in capitals. */
const HEADER = /^\s{0,8}[A-Z][A-Z%()./_-]*(?: [A-Z%()./_-]+)*(?:\s{2,}[A-Z][A-Z%()./_-]*(?: [A-Z%()./_-]+)*)+\s*$/;
/** Columns that show what the objects of a table are. */
const OF_PODS = /\bREADY\b.*\bRESTARTS\b/;
const OF_NODES = /\bROLES\b/;
/** A line of a header is short. */
const MAX_HEADER = 400;

/** The names below `NAMESPACE`, `NAME`, `NODE`, `HOST`, `USER` …, until an empty line or the next header. */
export function* namesInTables(text: string): Generator<TableName> {
  let columns: readonly Column[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") columns = [];
    else if (line.length <= MAX_HEADER && HEADER.test(line)) columns = columnsOf(line);
    else
      for (const { start, kind } of columns) {
        const name = cellAt(line, start);
        if (name !== undefined) yield { kind, name };
      }
  }
}

interface Column {
  readonly start: number;
  readonly kind: NameKind;
}

function columnsOf(header: string): Column[] {
  const ofNames: NameKind = OF_PODS.test(header) ? "pod" : OF_NODES.test(header) ? "node" : "service";
  return [...header.matchAll(/\S+(?: [A-Z()]+)*/g)].flatMap(({ 0: title, index }) => {
    const kind = /^NAMES?$/.test(title) ? ofNames : kindOfKey(title.toLowerCase().replaceAll(" ", "_"));
    return kind === undefined ? [] : [{ start: index, kind }];
  });
}

/** The word that begins at a column; undefined if another word reaches into it. */
function cellAt(line: string, start: number): string | undefined {
  if (start > 0 && line[start - 1] !== " " && line[start - 1] !== "\t") return undefined;
  return /^[\p{L}\p{N}_][\p{L}\p{N}_./@:-]{0,252}/u.exec(line.slice(start, start + 253))?.[0];
}
