// Ranking formulas for observations and past answers. Pure functions; each result includes the parts of its score.

import { timeDecay } from "./time-decay.ts";

/** Below this final score (0 to 10), an observation's quality counts half. */
const GOOD_SCORE = 7;
/** For an observation without a final score. */
const DEFAULT_SCORE = 5;
const MIN_ADJUST = 0.2;
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

export interface ObservationFacts {
  /** 0 to 1. */
  readonly similarity: number;
  /** The critic's confidence × 10, 0 to 10; null when no investigation finished. */
  readonly finalScore: number | null;
  /** Review score by a person, −1 to 2; null without a review. */
  readonly reviewScore: number | null;
  readonly lastSeenAt: Date;
}

/**
 * Ranks an observation of a past incident: (0.7 × similarity + 0.3 × quality) × adjust × decay. `quality` is the final
 * score / 10, halved below a score of 7. `adjust` is max(0.2, 1 + 0.15 × review score). A poor run on the same topic
 * ranks below a good one but stays in the results.
 */
export function rankObservation(
  { similarity, finalScore, reviewScore, lastSeenAt }: ObservationFacts,
  now: Date,
  halfLifeDays: number,
): { readonly score: number; readonly parts: ObservationParts } {
  const parts: ObservationParts = {
    similarity,
    quality:
      finalScore !== null && finalScore < GOOD_SCORE ? (finalScore / 10) * 0.5 : (finalScore ?? DEFAULT_SCORE) / 10,
    adjust: Math.max(MIN_ADJUST, 1 + (reviewScore ?? 0) * 0.15),
    decay: timeDecay(lastSeenAt, now, halfLifeDays),
  };
  return { score: (0.7 * parts.similarity + 0.3 * parts.quality) * parts.adjust * parts.decay, parts };
}

/**
 * The score of an observation once its probability of being the same failure is estimated: probability × (0.7 + 0.3 × quality) ×
 * adjust × decay. Quality decides among probable ones and cannot lift an improbable one.
 */
export function scoreOfProbability(probability: number, { quality, adjust, decay }: ObservationParts): number {
  return probability * (0.7 + 0.3 * quality) * adjust * decay;
}

export interface PastAnswerParts {
  /** −1 to 1. */
  readonly cosine: number;
  /** 0.1 × tanh of the rating: above −0.1, below 0.1. */
  readonly rating: number;
  /** The session boost, or 0. */
  readonly session: number;
  /** Above 0, to 1. */
  readonly decay: number;
}

export interface PastAnswerFacts {
  readonly cosine: number;
  /** Thumbs up minus thumbs down. */
  readonly rating: number;
  readonly isSameSession: boolean;
  readonly createdAt: Date;
}

/**
 * Ranks a past answer for a new question: (cosine + 0.1 × tanh(rating) + session boost) × decay. Ratings shift the score
 * by less than 0.1, so they never outweigh similarity.
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

/** Cosine of the angle between two vectors of equal dimension, −1 to 1; 0 when one of them is the zero vector. */
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
