// BM25 over texts that come one after the other, as the SQL function search_documents computes it, without its corrections
// of misspelt words.

import { B, K1 } from "../../lib/ranking/bm25.ts";
import { countsOf, tokenize } from "../../lib/text/tokenize.ts";

export interface WordHit {
  readonly id: string;
  readonly score: number;
  /** Number of terms of the text. */
  readonly length: number;
  /** Of each term of the query. */
  readonly frequencies: Record<string, number>;
}

export interface WordIndex {
  add(id: string, text: string): void;
  /** Best first. */
  search(terms: readonly string[], limit: number): WordHit[];
  /** Number of texts that hold the term. */
  dfOf(term: string): number;
  totals(): { readonly documents: number; readonly average_length: number };
}

/** Of more, the heaviest are searched. */
const MAX_TERMS = 96;

export function createWordIndex(): WordIndex {
  const postings = new Map<string, Map<string, number>>();
  const lengths = new Map<string, number>();
  let total = 0;
  const dfOf = (term: string) => postings.get(term)?.size ?? 0;
  const idfOf = (term: string) => Math.log(1 + (lengths.size - dfOf(term) + 0.5) / (dfOf(term) + 0.5));
  return {
    add(id, text) {
      const terms = tokenize(text);
      for (const [term, count] of countsOf(terms)) {
        const entries = postings.get(term) ?? new Map<string, number>();
        postings.set(term, entries.set(id, count));
      }
      lengths.set(id, terms.length);
      total += terms.length;
    },
    search(terms, limit) {
      const heaviest = [...countsOf(terms)]
        .map(([term, count]) => ({ term, gain: (1 + Math.log(count)) * idfOf(term) * (K1 + 1) }))
        .sort((a, b) => b.gain - a.gain)
        .slice(0, MAX_TERMS);
      const hits = new Map<string, { score: number; length: number; frequencies: Record<string, number> }>();
      for (const { term, gain } of heaviest) {
        for (const [id, frequency] of postings.get(term) ?? []) {
          const length = lengths.get(id) ?? 0;
          const relativeLength = (length * lengths.size) / Math.max(1, total);
          const score = (gain * frequency) / (frequency + K1 * (1 - B + B * relativeLength));
          const hit = hits.get(id) ?? { score: 0, length, frequencies: {} };
          hit.score += score;
          hit.frequencies[term] = frequency;
          hits.set(id, hit);
        }
      }
      return [...hits]
        .map(([id, hit]) => ({ id, ...hit }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    dfOf,
    totals: () => ({ documents: lengths.size, average_length: total / Math.max(1, lengths.size) }),
  };
}
