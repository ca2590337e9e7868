import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dot,
  openWordVectors,
  readWordTable,
  type WordTable,
  writeWordTable,
} from "../../../../lib/embedding/word-vectors.ts";
import { visitWords } from "../../../../lib/embedding/words.ts";

const DIMENSIONS = 7;
const BUCKETS = 11;
const KNOWN = ["disk", "full", "pod", "not", "ready", "notready", "http2", "137", "диск"];
/** In words that are not in the table: identifiers, numbers, another script. */
const UNKNOWN = ["volume", "NotStarted", "x", "4711", "v3", "磁盘", "a".repeat(60)];

/** FNV-1a with whole numbers of any length. */
function hash(word: string): number {
  let sum = 0x811c9dc5n;
  for (let i = 0; i < word.length; i++) sum = ((sum ^ BigInt(word.charCodeAt(i))) * 0x01000193n) & 0xffffffffn;
  return Number(sum);
}

function tableOf(words: readonly string[], { dimensions = DIMENSIONS, buckets = BUCKETS } = {}): WordTable {
  const rows = words.length + buckets;
  // Differ from row to row, with negative ones and the extremes.
  const values = Int8Array.from({ length: rows * dimensions }, (_, i) => ((i * 7_919 + 31) % 255) - 127);
  const scales = Float32Array.from({ length: rows }, (_, row) => 0.001 + ((row * 37) % 17) / 300);
  return { version: 42, dimensions, buckets, hashes: Uint32Array.from(words.map(hash)).sort(), scales, values };
}

function bytesOf(table: WordTable): ArrayBuffer {
  return Uint8Array.from(writeWordTable(table)).buffer;
}

/** Words of a text as strings. */
function wordsOf(text: string): { readonly word: string; readonly isPart: boolean }[] {
  const words: { word: string; isPart: boolean }[] = [];
  visitWords(text, (letters, from, to, isPart) => {
    words.push({ word: String.fromCharCode(...letters.subarray(from, to)), isPart });
  });
  return words;
}

/** Substrings of 3 to 5 letters, boundaries counted. */
function partsOf(word: string): string[] {
  const bounded = ` ${word} `;
  return Array.from(bounded, (_, start) =>
    [3, 4, 5].map((length) => bounded.slice(start, start + length)).filter((part, i) => part.length === 3 + i),
  ).flat();
}

/** The vector of a text as the documentation says it, slowly: each row with its share, added one after another in 32 bits. */
function reference(table: WordTable, text: string): number[] {
  const { dimensions, hashes, buckets, scales, values } = table;
  const counts = new Map<number, number>();
  const rows = wordsOf(text).flatMap(({ word, isPart }) => {
    // Repetitions are counted in 4,096 counters.
    const counter = hash(word) % 4_096;
    const count = (counts.get(counter) ?? 0) + 1;
    counts.set(counter, count);
    const row = hashes.indexOf(hash(word));
    if (row >= 0) return [{ row, share: 1 / count }];
    if (!isPart || /\d/.test(word)) return [];
    const parts = partsOf(word);
    return parts.map((part) => ({ row: hashes.length + (hash(part) % buckets), share: 1 / count / parts.length }));
  });
  const sum = Array<number>(dimensions).fill(0);
  for (const { row, share } of rows) {
    const scale = (scales[row] ?? Number.NaN) * share;
    for (const [d, value] of values.subarray(row * dimensions, (row + 1) * dimensions).entries())
      sum[d] = Math.fround((sum[d] ?? Number.NaN) + scale * value);
  }
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0));
  return length === 0 ? sum : sum.map((value) => Math.fround(value / length));
}

const table = tableOf(KNOWN);
const vectors = openWordVectors(bytesOf(table));
const embed = (text: string) => [...vectors.embed(text)];
/** The vector of one row: of a word that stands alone. */
const rowOf = (row: number) => [...table.values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)];
const directionOf = (vector: readonly number[]) => {
  const length = Math.hypot(...vector);
  return vector.map((value) => expect.closeTo(value / length, 5));
};
const indexOf = (word: string) => table.hashes.indexOf(hash(word));

describe("the vector of a text", () => {
  it("is that of the slow reference to the last bit, also after other texts", () => {
    const word = fc.oneof(fc.constantFrom(...KNOWN, ...UNKNOWN), fc.string({ maxLength: 12 }));
    const texts = fc.array(
      fc.array(word, { maxLength: 30 }).map((words) => words.join(" ")),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(texts, (all) => {
        const embedded = all.map((text) => vectors.embed(text));
        expect(embedded.map((vector) => [...vector])).toEqual(all.map((text) => reference(table, text)));
      }),
    );
  });

  it("has length 1", () => {
    for (const text of ["disk", "disk full", "volume", "the disk of pod x is full"])
      expect(dot(embed(text), embed(text))).toBeCloseTo(1, 6);
  });

  it("is of one known word its row", () => {
    expect(embed("Disk")).toEqual(directionOf(rowOf(indexOf("disk"))));
  });

  it("is of two known words the sum of their rows, in any order", () => {
    const scaled = (word: string) => rowOf(indexOf(word)).map((value) => value * (table.scales[indexOf(word)] ?? 0));
    const sum = scaled("disk").map((value, d) => value + (scaled("full")[d] ?? 0));
    expect(embed("disk full")).toEqual(directionOf(sum));
    expect(embed("full disk")).toEqual(directionOf(sum));
  });

  it("weighs a repeated word 1/k the k-th time", () => {
    const scaled = (word: string) => rowOf(indexOf(word)).map((value) => value * (table.scales[indexOf(word)] ?? 0));
    const sum = scaled("disk").map((value, d) => value * (1 + 1 / 2 + 1 / 3) + (scaled("full")[d] ?? 0));
    expect(embed("disk disk full disk")).toEqual(directionOf(sum));
  });

  it("begins to count anew with each text", () => {
    const first = embed("disk full");
    embed("disk disk disk");
    expect(embed("disk full")).toEqual(first);
  });

  it("is of an unknown word the mean of its parts", () => {
    const rows = partsOf("volume").map((part) => KNOWN.length + (hash(part) % BUCKETS));
    const sum = Array.from({ length: DIMENSIONS }, (_, d) =>
      rows.reduce((total, row) => total + (rowOf(row)[d] ?? 0) * (table.scales[row] ?? 0), 0),
    );
    expect(embed("volume")).toEqual(directionOf(sum));
  });

  it("knows an identifier as a whole, too, but makes no parts of it", () => {
    // `notready` has a row, `notfull` has none.
    expect(embed("notReady")).not.toEqual(embed("not ready"));
    expect(embed("notFull")).toEqual(embed("not full"));
  });

  it.each(["", " ", "--- ... !!!", "4711 v3 2026", "a".repeat(1_000)])("is zeros without a known word: %j", (text) => {
    expect(embed(text)).toEqual(Array(DIMENSIONS).fill(0));
  });

  it("takes a number with a row of its own for a word", () => {
    expect(embed("4711 137")).toEqual(directionOf(rowOf(indexOf("137"))));
  });

  it("belongs to the caller", () => {
    const first = vectors.embed("disk");
    const before = [...first];
    vectors.embed("full");
    expect([...first]).toEqual(before);
  });
});

it("the length of a word is that of its own row", () => {
  const table = tableOf(KNOWN);
  const { lengthOf } = openWordVectors(bytesOf(table));
  const row = table.hashes.indexOf(hash("disk"));
  const values = table.values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
  expect(lengthOf("disk")).toBeCloseTo((table.scales[row] ?? 0) * Math.hypot(...values), 4);
  expect(lengthOf("volume")).toBeNull();
});

it("the similarity of two texts is the cosine of their vectors", () => {
  expect(vectors.similarity("disk full", "Full disk")).toBeCloseTo(1, 6);
  expect(vectors.similarity("disk", "pod")).toBe(dot(embed("disk"), embed("pod")));
  expect(vectors.similarity("disk", "")).toBe(0);
});

describe("the file of a table", () => {
  it("is read as it was written", () => {
    expect(readWordTable(bytesOf(table))).toEqual(table);
    expect([vectors.version, vectors.dimensions]).toEqual([42, DIMENSIONS]);
  });

  it("is read as it was written, for any table", () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (words, dimensions, buckets) => {
          const written = tableOf(words, { dimensions, buckets });
          expect(readWordTable(bytesOf(written))).toEqual(written);
        },
      ),
    );
  });

  it("is refused when it is cut anywhere, or longer", () => {
    const bytes = bytesOf(table);
    for (let length = 0; length < bytes.byteLength; length++)
      expect(() => openWordVectors(bytes.slice(0, length)), `${length} bytes`).toThrow(RangeError);
    expect(() => openWordVectors(Uint8Array.from([...new Uint8Array(bytes), 0]).buffer)).toThrow(RangeError);
  });

  it.each([
    ["the magic number", 0],
    ["the dimensions", 2],
    ["the words", 3],
    ["the buckets", 4],
  ])("is refused when its header has another value for %s", (_, place) => {
    for (const value of [0, 1, 0x7fffffff, 0xffffffff]) {
      const bytes = bytesOf(table);
      new Uint32Array(bytes)[place] = value;
      expect(() => openWordVectors(bytes), String(value)).toThrow(RangeError);
    }
  });
});
