// Owns the absolute measure of relevance: ranks say which hit is best, this says whether the best is any good.

export interface GroundingEvidence {
  /** The distinct terms of what was asked. */
  readonly asked: ReadonlySet<string>;
  /** The terms of the text that is judged. */
  readonly held: ReadonlySet<string>;
  /** What a term says in the searched collection; without statistics (`undefined`) all terms say the same. */
  readonly statistics: Readonly<Record<string, { readonly df: number; readonly idf: number }>> | undefined;
  /** 1 − cosine distance / 2 of the nearest chunk, 0 to 1; undefined where no vector was compared. */
  readonly relevance: number | undefined;
  /** Whether the text is about the very type of incident that was recognised. */
  readonly sameType: boolean;
}

// Hand-set, in round figures: what the words say outweighs the rest, and no part reaches the default threshold alone.
const COVERAGE_WEIGHT = 0.55;
const TYPE_WEIGHT = 0.3;
const SIMILARITY_WEIGHT = 0.15;

// A word that the collection has never seen is a service's name about as often as it is the heart of the matter.
const UNSEEN_WEIGHT = 0.6;

/** The part of the relevance scale on which an embedding model tells texts apart. */
export interface RelevanceScale {
  readonly unrelated: number;
  readonly close: number;
}

/**
 * How well a text covers what was asked, 0 to 1: the share of the query's information (inverse document frequency)
 * that the text holds, whether it is about the same type of incident, and the similarity of the vectors. Evidence
 * that is missing leaves its weight to the rest, so a degraded recall is judged on the same scale.
 */
export function groundingScore(evidence: GroundingEvidence, scale: RelevanceScale): number {
  const { relevance, sameType } = evidence;
  const similarityWeight = relevance === undefined ? 0 : SIMILARITY_WEIGHT;
  const similarity = relevance === undefined ? 0 : stretch(relevance, scale);
  const sum = COVERAGE_WEIGHT * coverage(evidence) + TYPE_WEIGHT * Number(sameType) + similarityWeight * similarity;
  return sum / (COVERAGE_WEIGHT + TYPE_WEIGHT + similarityWeight);
}

function coverage({ asked, held, statistics }: GroundingEvidence): number {
  let total = 0;
  let covered = 0;
  for (const term of asked) {
    const known = statistics && Object.hasOwn(statistics, term) ? statistics[term] : undefined;
    // An unseen compound is judged by its parts, which are terms of their own.
    if (known?.df === 0 && isCompound(term)) continue;
    const weight = known === undefined ? 1 : known.df === 0 ? known.idf * UNSEEN_WEIGHT : known.idf;
    total += weight;
    if (held.has(term)) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}

function isCompound(term: string): boolean {
  return /[^\p{L}\p{N}]/u.test(term);
}

function stretch(relevance: number, { unrelated, close }: RelevanceScale): number {
  return Math.min(1, Math.max(0, (relevance - unrelated) / (close - unrelated)));
}
