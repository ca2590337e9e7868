// Grounding score: an absolute measure of relevance. Ranking finds the best hit; this score shows if it is good enough.

export interface GroundingEvidence {
  /** The distinct terms of the query. */
  readonly queryTerms: ReadonlySet<string>;
  /** The terms of the text. */
  readonly textTerms: ReadonlySet<string>;
  /** Term weights of the searched collection; without statistics (`undefined`) all terms weigh the same. */
  readonly statistics: Readonly<Record<string, { readonly df: number; readonly idf: number }>> | undefined;
  /** 1 − cosine distance / 2 of the nearest chunk, 0 to 1; undefined when no vector was compared. */
  readonly relevance: number | undefined;
  /** Whether the text is about the recognised incident type. */
  readonly isSameType: boolean;
}

// Set by hand, in round figures: term coverage outweighs the rest, and no part reaches the default threshold alone.
const COVERAGE_WEIGHT = 0.55;
const TYPE_WEIGHT = 0.3;
const SIMILARITY_WEIGHT = 0.15;

// A word that the collection does not contain is a service's name about as often as it is the key term.
const UNKNOWN_TERM_WEIGHT = 0.6;

/** The range of relevance in which an embedding model distinguishes texts: `unrelated` maps to 0, `close` to 1. */
export interface RelevanceScale {
  readonly unrelated: number;
  readonly close: number;
}

/**
 * Returns how well a text covers a query, 0 to 1: the weighted mean of term coverage (share of the query's idf that the
 * text holds), same incident type, and vector similarity. Without a vector, the other parts take over its weight, so
 * that a degraded recall is scored on the same scale.
 */
export function groundingScore(evidence: GroundingEvidence, scale: RelevanceScale): number {
  const { relevance, isSameType } = evidence;
  const similarityWeight = relevance === undefined ? 0 : SIMILARITY_WEIGHT;
  const similarity = relevance === undefined ? 0 : stretch(relevance, scale);
  const sum = COVERAGE_WEIGHT * coverage(evidence) + TYPE_WEIGHT * Number(isSameType) + similarityWeight * similarity;
  return sum / (COVERAGE_WEIGHT + TYPE_WEIGHT + similarityWeight);
}

function coverage({ queryTerms, textTerms, statistics }: GroundingEvidence): number {
  let total = 0;
  let covered = 0;
  for (const term of queryTerms) {
    const entry = statistics && Object.hasOwn(statistics, term) ? statistics[term] : undefined;
    // The parts of an unknown compound are terms of their own.
    if (entry?.df === 0 && isCompound(term)) continue;
    const weight = entry === undefined ? 1 : entry.df === 0 ? entry.idf * UNKNOWN_TERM_WEIGHT : entry.idf;
    total += weight;
    if (textTerms.has(term)) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}

function isCompound(term: string): boolean {
  return /[^\p{L}\p{N}]/u.test(term);
}

function stretch(relevance: number, { unrelated, close }: RelevanceScale): number {
  return Math.min(1, Math.max(0, (relevance - unrelated) / (close - unrelated)));
}
