// Words that occur in one text alone, and a search for them in everything that the stores hold: each column of each table, and
// each record of each collection. Tables and collections are listed by the stores, so that new ones are searched, too.

import { z } from "zod";
import { allRecords, sql } from "./harness.ts";

/** Letters that are no word, kept as a whole by the tokenizer and the stemmer. */
const MARKER = /zq[a-z]+xk/gi;

/** For example `zqtitlexk`. */
export function marker(name: string): string {
  if (!/^[a-z]+$/.test(name)) throw new Error(`The name of a marker has small letters only: ${name}`);
  return `zq${name}xk`;
}

/** The markers in these values, each once, in alphabetical order. */
export function markersIn(...values: readonly unknown[]): string[] {
  return [...new Set(JSON.stringify(values).match(MARKER))].sort();
}

/** Places by marker, such as `past_answers.answer` and `chroma:runbooks`. */
export type MarkerPlaces = ReadonlyMap<string, ReadonlySet<string>>;

export async function findMarkers(): Promise<MarkerPlaces> {
  const places = new Map<string, Set<string>>();
  const add = (word: string, place: string) => {
    const key = word.toLowerCase();
    places.set(key, (places.get(key) ?? new Set()).add(place));
  };
  for (const { name, column, word } of await findInTables()) add(word, `${name}.${column}`);
  for (const { collection, record } of await allRecords())
    for (const [word] of JSON.stringify(record).matchAll(MARKER)) add(word, `chroma:${collection}`);
  return places;
}

const placesSchema = z.array(z.object({ name: z.string(), column: z.string(), word: z.string() }));

async function findInTables(): Promise<z.infer<typeof placesSchema>> {
  const tables = await sql`select c.oid::regclass::text as table, c.relname as name from pg_class c
    where c.relkind in ('r', 'm') and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`;
  const rows = await Promise.all(
    tables.map(
      ({ table, name }) => sql`select distinct ${String(name)} as name, e.key as column, m[1] as word
        from ${sql.unsafe(String(table))} as r cross join jsonb_each_text(to_jsonb(r)) e
        cross join regexp_matches(e.value, ${`(${MARKER.source})`}, 'gi') m`,
    ),
  );
  return placesSchema.parse(rows.flat());
}
