// Rounds a trained table to 8 bits a value, with a scale for each row.

import { createHash } from "node:crypto";
import type { WordTable } from "../../lib/embedding/word-vectors.ts";

const LARGEST = 127;

export function quantise(
  table: Float32Array,
  {
    hashes,
    buckets,
    dimensions,
  }: { readonly hashes: Uint32Array; readonly buckets: number; readonly dimensions: number },
): WordTable {
  const rows = hashes.length + buckets;
  const scales = new Float32Array(rows);
  const values = new Int8Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const from = row * dimensions;
    let largest = 0;
    for (let i = from; i < from + dimensions; i++) largest = Math.max(largest, Math.abs(table[i] ?? 0));
    const scale = largest / LARGEST;
    scales[row] = scale;
    if (scale > 0) for (let i = from; i < from + dimensions; i++) values[i] = Math.round((table[i] ?? 0) / scale);
  }
  const digest = createHash("sha256").update(hashes).update(scales).update(values).digest();
  return { version: digest.readUInt32LE(0), dimensions, hashes, buckets, scales, values };
}
