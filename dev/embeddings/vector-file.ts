// Vectors of the shipped runbooks, computed in advance, so that the first start embeds none of them. `npm run generate
// -- vectors` writes the file.
//
// One line of JSON, then one record for each text: the first 16 bytes of its SHA-256, its tokens (uint16) and its vector
// (float16), all big-endian. The records are ordered by hash: a changed runbook changes few bytes.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { DIMENSIONS, type Embed } from "./encoder.ts";
import { embedderFingerprint } from "./fingerprint.ts";

export const RUNBOOK_VECTORS = new URL("runbook-vectors.bin", import.meta.url);

const HASH_BYTES = 16;
const TOKEN_BYTES = 2;
const FLOAT_BYTES = 2;
const RECORD_BYTES = HASH_BYTES + TOKEN_BYTES + DIMENSIONS * FLOAT_BYTES;
const NEWLINE = 0x0a;

const headerSchema = z.object({
  format: z.literal("dejavu-vectors-1"),
  /** Of the embedder that computed the vectors. */
  fingerprint: z.string(),
  texts: z.int(),
});

/** The vector of one text, of unit length, and the tokens of the text. */
export interface TextVector {
  readonly vector: readonly number[];
  readonly tokens: number;
}

/** Vectors by `textKey`. */
export type TextVectors = ReadonlyMap<string, TextVector>;

export type VectorFile =
  | { readonly state: "valid"; readonly vectors: TextVectors }
  /** The file has no vectors for this embedder. `reason` is a sentence for the log. */
  | { readonly state: "unusable"; readonly reason: string };

/** The key of a text: 32 hexadecimal digits. */
export function textKey(text: string): string {
  return createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, 2 * HASH_BYTES);
}

/** The contents of a vector file. The same vectors give the same bytes. */
export function encodeVectorFile(vectors: TextVectors, fingerprint: string = embedderFingerprint()): Uint8Array {
  const header = JSON.stringify({ format: "dejavu-vectors-1", fingerprint, texts: vectors.size });
  const records = [...vectors].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, entry]) => encodeRecord(key, entry));
  return Buffer.concat([Buffer.from(`${header}\n`), ...records]);
}

function encodeRecord(key: string, { vector, tokens }: TextVector): Uint8Array {
  const record = Buffer.alloc(RECORD_BYTES);
  record.write(key, "hex");
  const view = new DataView(record.buffer, record.byteOffset);
  view.setUint16(HASH_BYTES, tokens);
  for (const [i, value] of vector.entries()) view.setFloat16(HASH_BYTES + TOKEN_BYTES + i * FLOAT_BYTES, value);
  return record;
}

/** Reads a vector file. Vectors of another embedder would be wrong: such a file is unusable. */
export function readVectorFile(path: URL | string, fingerprint: string = embedderFingerprint()): VectorFile {
  const unusable = (problem: string): VectorFile => ({
    state: "unusable",
    reason: `The vectors of the shipped runbooks are not used, because ${problem}. They are computed instead, which takes about a minute. \`npm run generate -- vectors\` writes them again.`,
  });
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return unusable(`their file cannot be read (${error instanceof Error ? error.message : error})`);
  }
  const headerEnd = bytes.indexOf(NEWLINE);
  const header = readHeader(bytes.subarray(0, Math.max(headerEnd, 0)).toString());
  const records = bytes.subarray(headerEnd + 1);
  if (header === undefined || records.length !== header.texts * RECORD_BYTES) return unusable("their file is damaged");
  if (header.fingerprint !== fingerprint) return unusable("another version of the embedder computed them");
  const vectors = new Map<string, TextVector>();
  for (let start = 0; start < records.length; start += RECORD_BYTES) {
    const record = records.subarray(start, start + RECORD_BYTES);
    vectors.set(record.toString("hex", 0, HASH_BYTES), decodeRecord(record));
  }
  return { state: "valid", vectors };
}

function readHeader(line: string): z.infer<typeof headerSchema> | undefined {
  try {
    return headerSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Scales the vector to unit length again: its numbers were rounded. */
function decodeRecord(record: Buffer): TextVector {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const rounded = Array.from({ length: DIMENSIONS }, (_, i) =>
    view.getFloat16(HASH_BYTES + TOKEN_BYTES + i * FLOAT_BYTES),
  );
  const length = Math.hypot(...rounded);
  return { vector: rounded.map((value) => value / length), tokens: view.getUint16(HASH_BYTES) };
}

/** Takes the vectors of these texts from the file's and computes all others. */
export function embedFromFile(vectors: TextVectors, embed: Embed): Embed {
  return async (texts, signal) => {
    const entries = texts.map((text) => vectors.get(textKey(text)));
    const missing = texts.filter((_, i) => !entries[i]);
    const computed = missing.length === 0 ? { vectors: [], tokens: [] } : await embed(missing, signal);
    let next = 0;
    const all = entries.map((entry) => {
      if (entry) return { vector: [...entry.vector], tokens: entry.tokens };
      const position = next++;
      return { vector: computed.vectors[position] ?? [], tokens: computed.tokens[position] ?? 0 };
    });
    return { vectors: all.map(({ vector }) => vector), tokens: all.map(({ tokens }) => tokens) };
  };
}
