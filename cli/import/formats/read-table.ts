// Tables of CSV files by the names of their columns: names may repeat, and exports write one name in several ways.

import { parse } from "csv-parse/sync";

export interface Row {
  /** The filled cells of the columns with the first of these names that has any, in order. */
  readonly cells: (...names: readonly string[]) => string[];
  /** The first of them; null without one. */
  readonly cell: (...names: readonly string[]) => string | null;
}

export interface Table {
  /** As in the file, without empty ones. */
  readonly columns: readonly string[];
  readonly has: (...names: readonly string[]) => boolean;
  readonly rows: readonly Row[];
}

/** @throws Error with the line when the text is no CSV */
export function readTable(text: string): Table {
  const [header = [], ...records] = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const places = new Map<string, number[]>();
  for (const [place, name] of header.entries()) {
    const key = columnKey(name);
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  const rows = records.map((record): Row => {
    const cells = (...names: readonly string[]) => {
      for (const name of names) {
        const filled = (places.get(columnKey(name)) ?? []).flatMap((place) => {
          const value = (record[place] ?? "").trim();
          return value === "" ? [] : [value];
        });
        if (filled.length > 0) return filled;
      }
      return [];
    };
    return { cells, cell: (...names) => cells(...names)[0] ?? null };
  });
  return {
    columns: header.map((name) => name.trim()).filter((name) => name !== ""),
    has: (...names) => names.some((name) => places.has(columnKey(name))),
    rows,
  };
}

/** Equal for `Created At`, `created_at` and `createdAt`. */
function columnKey(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}()]+/gu, " ")
    .trim();
}

/** The separator that the header has most often. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/)).replace(/"[^"]*"/g, "");
  const count = (separator: string) => header.split(separator).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}
