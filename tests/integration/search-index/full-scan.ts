// What a keyword search must find, computed over all texts.

import { countTerms } from "../../../lib/text/tokenize.ts";

export interface IndexedText {
  readonly id: string;
  readonly terms: readonly string[];
  readonly kind: "runbook" | "note";
  readonly domain: string;
}

/** The text as `upsert_documents` takes it. */
export function row({ id, terms, kind, domain }: IndexedText) {
  return {
    id,
    source: null,
    chunk_index: null,
    title: "t",
    heading_path: [],
    body: terms.join(" "),
    metadata: { kind, domain },
    written_at: "2026-01-01T00:00:00Z",
    content_hash: "a.b",
    terms: countTerms(terms),
  };
}

/** The texts with a word of the query by Okapi BM25, best first; of two equal scores, the earlier text is first. */
export function rankByFullScan<T extends IndexedText>(
  texts: readonly T[],
  query: readonly string[],
): { readonly text: T; readonly score: number }[] {
  const average = texts.reduce((sum, { terms }) => sum + terms.length, 0) / texts.length;
  const weights = Object.entries(countTerms(query)).map(([term, repeats]) => {
    const df = texts.filter(({ terms }) => terms.includes(term)).length;
    return { term, weight: (1 + Math.log(repeats)) * Math.log(1 + (texts.length - df + 0.5) / (df + 0.5)) };
  });
  const score = ({ terms }: T) =>
    weights.reduce((sum, { term, weight }) => {
      const frequency = terms.filter((each) => each === term).length;
      return sum + (weight * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * terms.length) / average));
    }, 0);
  return texts
    .map((text) => ({ text, score: Number(score(text).toFixed(9)) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score);
}
