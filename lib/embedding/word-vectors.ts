// Vectors of texts from a table of word vectors: the rows of a text's words are added up and the sum is normalised. Neither
// a network nor a model runtime is needed, and the same text has the same vector everywhere.

import { hasDigit, visitParts, visitWords, wordHash } from "./words.ts";

/** First bytes of a file of word vectors. */
const MAGIC = 0x4a564544;
const HEADER_NUMBERS = 5;
const BYTES_OF_NUMBER = 4;

/** The file of a table: what a training writes, and `openWordVectors` reads. */
export interface WordTable {
  /** Changes with every training. Part of the fingerprint of an index. */
  readonly version: number;
  readonly dimensions: number;
  /** Hash of each word with a row of its own, ascending: the i-th has row i. */
  readonly hashes: Uint32Array;
  /** Rows behind those of the words: a word without a row is the mean of the rows that its parts fall into. */
  readonly buckets: number;
  /** A value of row i is `values[i * dimensions + d] * scales[i]`. */
  readonly scales: Float32Array;
  readonly values: Int8Array;
}

export interface WordVectors {
  readonly version: number;
  /** Length of a vector. */
  readonly dimensions: number;
  /** A vector of length 1; of zeros for a text without a known word. */
  embed(text: string): Float32Array;
  /** Cosine of two texts, -1 to 1. */
  similarity(a: string, b: string): number;
  /** Length of the longest row of a word in the text: common words have short ones. Null without a known word. */
  lengthOf(text: string): number | null;
}

/**
 * Header (magic, version, dimensions, words, buckets), hashes, scales and values, all little-endian and aligned.
 * @throws RangeError when the bytes are no such file
 */
export function readWordTable(bytes: ArrayBuffer): WordTable {
  if (bytes.byteLength < HEADER_NUMBERS * BYTES_OF_NUMBER)
    throw new RangeError("The file of word vectors is too short.");
  const [magic, version = 0, dimensions = 0, words = 0, buckets = 0] = new Uint32Array(bytes, 0, HEADER_NUMBERS);
  if (magic !== MAGIC) throw new RangeError("The file holds no word vectors.");
  const rows = words + buckets;
  const scalesAt = (HEADER_NUMBERS + words) * BYTES_OF_NUMBER;
  const valuesAt = scalesAt + rows * BYTES_OF_NUMBER;
  if (buckets === 0 || bytes.byteLength !== valuesAt + rows * dimensions)
    throw new RangeError("The file of word vectors has not the length that its header says.");
  return {
    version,
    dimensions,
    buckets,
    hashes: new Uint32Array(bytes, HEADER_NUMBERS * BYTES_OF_NUMBER, words),
    scales: new Float32Array(bytes, scalesAt, rows),
    values: new Int8Array(bytes, valuesAt, rows * dimensions),
  };
}

export function writeWordTable({ version, dimensions, hashes, buckets, scales, values }: WordTable): Uint8Array {
  const header = Uint32Array.of(MAGIC, version, dimensions, hashes.length, buckets);
  const parts = [header, hashes, scales, values].map(
    (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
  );
  const file = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

/** Counters of repeated words; two words share one rarely. */
const COUNTERS = 4_096;

/** @throws RangeError when the bytes are no file of word vectors */
export function openWordVectors(bytes: ArrayBuffer): WordVectors {
  const table = readWordTable(bytes);
  const { dimensions, hashes, buckets, scales, values } = table;
  const words = hashes.length;
  const counts = new Uint16Array(COUNTERS);
  let sum = new Float32Array(dimensions);
  let weight = 0;

  const addRow = (row: number, share: number): void => {
    const scale = (scales[row] ?? 0) * share;
    const from = row * dimensions;
    for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] as number) + scale * (values[from + d] as number);
  };
  let parts = 0;
  const countPart = () => {
    parts += 1;
  };
  const addPart = (hash: number) => addRow(words + (hash % buckets), weight / parts);
  const addWord = (letters: Uint16Array, from: number, to: number, isPart: boolean): void => {
    const hash = wordHash(letters, from, to);
    const counter = hash % COUNTERS;
    const count = (counts[counter] ?? 0) + 1;
    counts[counter] = count;
    const row = rowOf(hashes, hash);
    if (row >= 0) {
      addRow(row, 1 / count);
      return;
    }
    // The parts of an identifier came before it, and those of a number mean nothing.
    if (!isPart || hasDigit(letters, from, to)) return;
    weight = 1 / count;
    parts = 0;
    visitParts(letters, from, to, countPart);
    if (parts > 0) visitParts(letters, from, to, addPart);
  };

  const embed = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions);
    sum = vector;
    counts.fill(0);
    visitWords(text, addWord);
    return normalised(vector);
  };
  return {
    version: table.version,
    dimensions,
    embed,
    similarity: (a, b) => dot(embed(a), embed(b)),
    lengthOf(text) {
      let longest: number | null = null;
      visitWords(text, (letters, from, to) => {
        const row = rowOf(hashes, wordHash(letters, from, to));
        if (row < 0) return;
        const own = values.subarray(row * dimensions, (row + 1) * dimensions);
        longest = Math.max(longest ?? 0, (scales[row] ?? 0) * Math.sqrt(dot(own, own)));
      });
      return longest;
    },
  };
}

/** The place of a hash, by bisection; -1 for an unknown one. */
function rowOf(hashes: Uint32Array, hash: number): number {
  let low = 0;
  let high = hashes.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const candidate = hashes[middle] as number;
    if (candidate === hash) return middle;
    if (candidate < hash) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  if (length === 0) return vector;
  for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) / length;
  return vector;
}

/** The inner product of two vectors of one length: the cosine, if both have length 1. */
export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (a[d] as number) * (b[d] as number);
  return sum;
}
