// Owns the formulas by which memories are ranked. Pure; each result shows its parts, and the parts give the score.

import { timeDecay } from "./time-decay.ts";

/** An investigation's score, 0 to 10, under which its record counts half. */
const GOOD_SCORE = 7;
/** What the words in common count for in a likeness: two texts of one kind of failure are near by meaning whatever the cause. */
const WORDS_WEIGHT = 0.7;
/** For a record without a score. */
const MIDDLING_SCORE = 5;
const LEAST_ADJUST = 0.2;
const RATING_WEIGHT = 0.1;

export interface ObservationParts {
  /** 0 to 1. */
  readonly similarity: number;
  /** 0 to 1. */
  readonly quality: number;
  /** 0.85 to 1.3. */
  readonly adjust: number;
  /** Above 0, to 1. */
  readonly decay: number;
}

export interface Likeness {
  /** 1 − cosine distance / 2; undefined where no vectors could be compared. */
  readonly meaning: number | undefined;
  /** Words in common, as a share of what the best of the candidates has, 0 to 1; undefined where none could be searched. */
  readonly words: number | undefined;
}

/**
 * How alike two incidents are, 0 to 1: 0.3 × meaning + 0.7 × words. Without words meaning is all there is; without vectors
 * the words stand in, on the scale of what meanings are like.
 */
export function incidentSimilarity(
  { meaning, words }: Likeness,
  { unrelated, close }: { readonly unrelated: number; readonly close: number },
): number {
  if (words === undefined) return meaning ?? 0;
  const near = meaning ?? unrelated + (close - unrelated) * words;
  return (1 - WORDS_WEIGHT) * near + WORDS_WEIGHT * words;
}

export interface ObservationFacts {
  /** By `incidentSimilarity`. */
  readonly similarity: number;
  /** The critic's confidence × 10, 0 to 10; null where no investigation finished. */
  readonly finalScore: number | null;
  /** A person's judgement, −1 to 2; null where there is none. */
  readonly quality: number | null;
  readonly lastSeenAt: Date;
}

/**
 * How much a record of a past investigation is worth for a new one:
 * (0.7 × similarity + 0.3 × quality) × adjust × decay, where quality is score / 10, halved below a score of 7, and adjust
 * is max(0.2, 1 + 0.15 × manual quality). A poor run on the very topic yields to a good one and is not thrown away.
 */
export function rankObservation(
  { similarity, finalScore, quality, lastSeenAt }: ObservationFacts,
  now: Date,
  halfLifeDays: number,
): { readonly score: number; readonly parts: ObservationParts } {
  const parts: ObservationParts = {
    similarity,
    quality:
      finalScore !== null && finalScore < GOOD_SCORE ? (finalScore / 10) * 0.5 : (finalScore ?? MIDDLING_SCORE) / 10,
    adjust: Math.max(LEAST_ADJUST, 1 + (quality ?? 0) * 0.15),
    decay: timeDecay(lastSeenAt, now, halfLifeDays),
  };
  return { score: (0.7 * parts.similarity + 0.3 * parts.quality) * parts.adjust * parts.decay, parts };
}

export interface PastAnswerParts {
  /** −1 to 1. */
  readonly cosine: number;
  /** 0.1 × tanh of the rating: above −0.1, below 0.1. */
  readonly rating: number;
  /** The boost, or 0. */
  readonly session: number;
  /** Above 0, to 1. */
  readonly decay: number;
}

export interface PastAnswerFacts {
  readonly cosine: number;
  /** Thumbs up less thumbs down. */
  readonly rating: number;
  readonly isSameSession: boolean;
  readonly createdAt: Date;
}

/**
 * How much an earlier answer is worth for a new question: (cosine + 0.1 × tanh(rating) + session boost) × decay. People
 * nudge the ranking and never overrule similarity.
 */
export function rankPastAnswer(
  { cosine, rating, isSameSession, createdAt }: PastAnswerFacts,
  {
    now,
    halfLifeDays,
    sessionBoost,
  }: { readonly now: Date; readonly halfLifeDays: number; readonly sessionBoost: number },
): { readonly score: number; readonly parts: PastAnswerParts } {
  const parts: PastAnswerParts = {
    cosine,
    rating: RATING_WEIGHT * Math.tanh(rating),
    session: isSameSession ? sessionBoost : 0,
    decay: timeDecay(createdAt, now, halfLifeDays),
  };
  return { score: (parts.cosine + parts.rating + parts.session) * parts.decay, parts };
}

/** Cosine of the angle between two vectors of one length, −1 to 1; 0 where one of them is null. */
export function cosineSimilarity(a: readonly number[], b: readonly number[]): number {
  let dot = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  const lengths = Math.sqrt(squaresOfA * squaresOfB);
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot / lengths));
}
