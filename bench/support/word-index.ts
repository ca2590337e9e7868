// BM25 over texts that come one after the other, as the SQL function search_documents computes it, without its corrections
// of misspelt words.

import { B, K1 } from "../../lib/ranking/bm25.ts";
import { countsOf, tokenize } from "../../lib/text/tokenize.ts";

export interface WordHit {
  readonly id: string;
  readonly score: number;
  readonly contributions: Record<string, number>;
}

export interface WordIndex {
  add(id: string, text: string): void;
  /** Best first. */
  search(terms: readonly string[], limit: number): WordHit[];
  statisticsOf(terms: readonly string[]): Record<string, { df: number; idf: number }>;
}

/** Of more, the heaviest are searched. */
const MAX_TERMS = 96;

export function createWordIndex(): WordIndex {
  const postings = new Map<string, Map<string, number>>();
  const lengths = new Map<string, number>();
  let total = 0;
  const weightOf = (term: string) => {
    const df = postings.get(term)?.size ?? 0;
    return { df, idf: Math.log(1 + (lengths.size - df + 0.5) / (df + 0.5)) };
  };
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
        .map(([term, count]) => ({ term, gain: (1 + Math.log(count)) * weightOf(term).idf * (K1 + 1) }))
        .sort((a, b) => b.gain - a.gain)
        .slice(0, MAX_TERMS);
      const hits = new Map<string, { score: number; contributions: Record<string, number> }>();
      for (const { term, gain } of heaviest) {
        for (const [id, frequency] of postings.get(term) ?? []) {
          const relativeLength = ((lengths.get(id) ?? 0) * lengths.size) / Math.max(1, total);
          const score = (gain * frequency) / (frequency + K1 * (1 - B + B * relativeLength));
          const hit = hits.get(id) ?? { score: 0, contributions: {} };
          hit.score += score;
          hit.contributions[term] = score;
          hits.set(id, hit);
        }
      }
      return [...hits]
        .map(([id, hit]) => ({ id, ...hit }))
        .sort((a, b) => b.score - a.score)
        .slice(0, limit);
    },
    statisticsOf: (terms) => Object.fromEntries([...new Set(terms)].map((term) => [term, weightOf(term)])),
  };
}
