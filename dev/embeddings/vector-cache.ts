// Cache of vectors by the hash of their text, in an SQLite file that several sidecars can share. For test runs, which
// embed the same texts many times.

import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Embed } from "./encoder.ts";
import { embedderFingerprint } from "./fingerprint.ts";

/** A write of another process takes a few milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

const rowSchema = z.object({ vector: z.instanceof(Uint8Array), tokens: z.int() });

/**
 * A change of the embedder creates a new table.
 * @param path of the file; created when missing. @throws Error when it cannot be opened
 */
export function embedFromCache(path: string, embed: Embed): Embed {
  mkdirSync(dirname(path), { recursive: true });
  const table = `vectors_${embedderFingerprint()}`;
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // A lost write costs one computation: nothing is synced.
  database.exec("pragma journal_mode = wal; pragma synchronous = off");
  database.exec(
    `create table if not exists ${table} (hash blob primary key, vector blob not null, tokens integer not null)`,
  );
  const select = database.prepare(`select vector, tokens from ${table} where hash = ?`);
  const insert = database.prepare(`insert or ignore into ${table} (hash, vector, tokens) values (?, ?, ?)`);

  return async (texts, signal) => {
    const hashes = texts.map((text) => createHash("sha256").update(text).digest());
    const entries = hashes.map((hash) => {
      const row = rowSchema.optional().parse(select.get(hash));
      return row && { vector: [...new Float64Array(row.vector.slice().buffer)], tokens: row.tokens };
    });
    const missing = [...texts.keys()].filter((i) => !entries[i]);
    if (missing.length > 0) {
      const computed = await embed(
        missing.map((i) => texts[i] ?? ""),
        signal,
      );
      for (const [k, i] of missing.entries()) {
        const entry = { vector: computed.vectors[k] ?? [], tokens: computed.tokens[k] ?? 0 };
        entries[i] = entry;
        insert.run(hashes[i] ?? null, new Uint8Array(Float64Array.from(entry.vector).buffer), entry.tokens);
      }
    }
    return { vectors: entries.map((entry) => entry?.vector ?? []), tokens: entries.map((entry) => entry?.tokens ?? 0) };
  };
}
