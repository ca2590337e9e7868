// Owns the absolute measure of relevance: ranks say which hit is best, this says whether the best is any good.

export interface GroundingEvidence {
  /** What each distinct query term says: its inverse document frequency in the searched collection; 0 df: never seen. */
  readonly terms: Readonly<Record<string, { readonly df: number; readonly idf: number }>>;
  /** The query terms that the text holds. */
  readonly matched: ReadonlySet<string>;
  /** 1 − distance / 2 of the nearest chunk, where the dense search found one. */
  readonly relevance: number | undefined;
}

// A term that the collection has never seen is a name of a service more often than the heart of the matter, so it
// counts against the text, but less than a known term that the text lacks.
const UNSEEN_WEIGHT = 0.35;
export const COVERAGE_SHARE = 0.65;

/**
 * How well a text covers what was asked, 0 to 1: the share of the query's information (idf) that it holds, mixed
 * with the similarity of the vectors. Without the one the other stands alone, so a degraded recall is still judged.
 */
export function groundingScore({ terms, matched, relevance }: GroundingEvidence): number {
  const coverage = informationCoverage(terms, matched);
  if (coverage === undefined) return relevance === undefined ? 0 : similarityScore(relevance);
  if (relevance === undefined) return coverage;
  return COVERAGE_SHARE * coverage + (1 - COVERAGE_SHARE) * similarityScore(relevance);
}

function informationCoverage(terms: GroundingEvidence["terms"], matched: ReadonlySet<string>): number | undefined {
  let total = 0;
  let held = 0;
  for (const [term, { df, idf }] of Object.entries(terms)) {
    const weight = df === 0 ? idf * UNSEEN_WEIGHT : idf;
    total += weight;
    if (matched.has(term)) held += weight;
  }
  return total === 0 ? undefined : held / total;
}

/** Stretches the part of the scale that sentence embeddings use: unrelated texts lie near 0.55, close ones near 0.85. */
function similarityScore(relevance: number): number {
  return Math.min(1, Math.max(0, (relevance - 0.55) / 0.3));
}
