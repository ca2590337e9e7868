// The words of the corpus: which have a vector of their own, and which are the sum of their parts.

import { hasDigit, visitParts, visitWords, wordHash } from "../../lib/embedding/words.ts";

/** A word that the corpus has. */
interface Type {
  readonly hash: number;
  readonly isNumeric: boolean;
  /** An identifier of several words that was only seen as a whole. */
  isPart: boolean;
  /** Hashes of its parts; empty for numbers. */
  readonly parts: Uint32Array;
  /** Texts that have it. */
  count: number;
  seenIn: number;
}

export interface Vocabulary {
  /** Hashes of the words with a row, ascending: row i belongs to the i-th. */
  readonly hashes: Uint32Array;
  readonly buckets: number;
  /** Texts in which each word with a row occurs. */
  readonly counts: Uint32Array;
  readonly texts: number;
  /** Rows that stand for each type: its own, or those of its parts. Empty for what has no vector. */
  readonly rowsOf: readonly Uint32Array[];
  /** The rows of its parts, for words whose own row is left out. */
  readonly partsOf: readonly Uint32Array[];
}

export class TypeIndex {
  private readonly byHash = new Map<number, number>();
  readonly types: Type[] = [];
  private texts = 0;
  private scratch: number[] = [];

  /** The types of a text, in order. */
  read(text: string, { limit, counts = true }: { readonly limit: number; readonly counts?: boolean }): Uint32Array {
    if (counts) this.texts += 1;
    this.scratch = [];
    visitWords(text, (letters, from, to, isPart) => {
      if (this.scratch.length >= limit) return;
      const hash = wordHash(letters, from, to);
      let index = this.byHash.get(hash);
      if (index === undefined) {
        index = this.types.length;
        const isNumeric = hasDigit(letters, from, to);
        const parts: number[] = [];
        if (!isNumeric) visitParts(letters, from, to, (part) => parts.push(part));
        this.types.push({ hash, isNumeric, isPart, parts: Uint32Array.from(parts), count: 0, seenIn: -1 });
        this.byHash.set(hash, index);
      }
      const type = this.types[index] as Type;
      type.isPart ||= isPart;
      if (counts && type.seenIn !== this.texts) {
        type.seenIn = this.texts;
        type.count += 1;
      }
      this.scratch.push(index);
    });
    return Uint32Array.from(this.scratch);
  }

  /** The most frequent words get rows of their own. */
  vocabulary({ words, buckets }: { readonly words: number; readonly buckets: number }): Vocabulary {
    const kept = this.types
      .toSorted((a, b) => b.count - a.count || a.hash - b.hash)
      .slice(0, words)
      .toSorted((a, b) => a.hash - b.hash);
    const rowOf = new Map(kept.map(({ hash }, row) => [hash, row]));
    const bucketRows = ({ parts, isPart }: Type) =>
      isPart ? parts.map((part) => kept.length + (part % buckets)) : new Uint32Array(0);
    return {
      hashes: Uint32Array.from(kept, ({ hash }) => hash),
      buckets,
      counts: Uint32Array.from(kept, ({ count }) => count),
      texts: this.texts,
      rowsOf: this.types.map((type) => {
        const row = rowOf.get(type.hash);
        return row === undefined ? bucketRows(type) : Uint32Array.of(row);
      }),
      partsOf: this.types.map(bucketRows),
    };
  }
}
