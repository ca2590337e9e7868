/**
 * Cache of vectors by the hash of their text, in an SQLite file that several sidecars may share. For test runs, which embed
 * the same texts many times. A sidecar without a file computes every vector.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { EmbeddedBatch } from "./encoder.ts";

type Embed = (texts: readonly string[], signal?: AbortSignal) => Promise<EmbeddedBatch>;

/** Milliseconds. Another process's write takes a few. */
const BUSY_TIMEOUT_MS = 5_000;

const rowSchema = z.object({ vector: z.instanceof(Uint8Array), tokens: z.int() });

/** Hash of the packages and of our own code that compute a vector. A change starts a new table. */
function fingerprint(): string {
  const hash = createHash("sha256");
  const require = createRequire(import.meta.url);
  for (const name of ["core", "embeddings", "model-embeddings-en"])
    hash.update(readFileSync(require.resolve(`@energetic-ai/${name}/package.json`)));
  for (const file of ["encoder.ts", "windows.ts"]) hash.update(readFileSync(new URL(file, import.meta.url)));
  return hash.digest("hex").slice(0, 16);
}

/** @param path of the file; made when missing. @throws Error where it cannot be opened */
export function embedFromCache(path: string, embed: Embed): Embed {
  mkdirSync(dirname(path), { recursive: true });
  const table = `vectors_${fingerprint()}`;
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // A lost write costs one computation: nothing is synced.
  database.exec("pragma journal_mode = wal; pragma synchronous = off");
  database.exec(
    `create table if not exists ${table} (hash blob primary key, vector blob not null, tokens integer not null)`,
  );
  const find = database.prepare(`select vector, tokens from ${table} where hash = ?`);
  const keep = database.prepare(`insert or ignore into ${table} (hash, vector, tokens) values (?, ?, ?)`);

  return async (texts, signal) => {
    const hashes = texts.map((text) => createHash("sha256").update(text).digest());
    const found = hashes.map((hash) => {
      const row = rowSchema.optional().parse(find.get(hash));
      return row && { vector: [...new Float64Array(row.vector.slice().buffer)], tokens: row.tokens };
    });
    const missing = [...texts.keys()].filter((i) => !found[i]);
    if (missing.length > 0) {
      const computed = await embed(
        missing.map((i) => texts[i] ?? ""),
        signal,
      );
      for (const [at, i] of missing.entries()) {
        const entry = { vector: computed.vectors[at] ?? [], tokens: computed.tokens[at] ?? 0 };
        found[i] = entry;
        keep.run(hashes[i] ?? null, new Uint8Array(Float64Array.from(entry.vector).buffer), entry.tokens);
      }
    }
    return { vectors: found.map((entry) => entry?.vector ?? []), tokens: found.map((entry) => entry?.tokens ?? 0) };
  };
}
