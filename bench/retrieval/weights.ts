// Value of the ranking feature weights: rankings without a feature, and weights that are fitted on some questions and
// evaluated on others.

import type { HybridHit } from "../../functions/search-index/hybrid-search.ts";
import { FEATURE_WEIGHTS, type RankingFeature } from "../../lib/ranking/rank-hits.ts";
import { nameOf } from "./data-set.ts";
import { type Figures, figuresOf } from "./figures.ts";

export const FEATURES = Object.keys(FEATURE_WEIGHTS) as RankingFeature[];

/** The hits for a question, and its right runbook. */
export interface SearchResult {
  readonly hits: readonly HybridHit[];
  readonly runbook: string;
}

export type Factors = Readonly<Partial<Record<RankingFeature, number>>>;

/** The rank of the right runbook when each contribution is multiplied by the factor of its feature (default 1). */
export function rankWith({ hits, runbook }: SearchResult, factors: Factors): number {
  const best = new Map<string, number>();
  for (const { document, contributions } of hits) {
    let score = 0;
    for (const feature of FEATURES) score += (contributions[feature]?.value ?? 0) * (factors[feature] ?? 1);
    const name = nameOf(document.source ?? "");
    best.set(name, Math.max(score, best.get(name) ?? Number.NEGATIVE_INFINITY));
  }
  const own = best.get(runbook);
  if (own === undefined) return Number.POSITIVE_INFINITY;
  let rank = 1;
  for (const [name, score] of best) if (score > own || (score === own && name < runbook)) rank++;
  return rank;
}

export function figuresWith(results: readonly SearchResult[], factors: Factors): Figures {
  return figuresOf(results.map((result) => rankWith(result, factors)));
}

const FACTORS_TO_TRY = [0, 0.5, 0.75, 1, 1.5, 2];
const PASSES = 2;

/** Fits factors by coordinate ascent on the mean reciprocal rank, starting from the shipped weights. */
function fitFactors(results: readonly SearchResult[]): Factors {
  let factors: Factors = {};
  let best = figuresWith(results, factors)["MRR@10"];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const feature of FEATURES) {
      for (const factor of FACTORS_TO_TRY) {
        const candidate = { ...factors, [feature]: factor };
        const score = figuresWith(results, candidate)["MRR@10"];
        if (score > best) [factors, best] = [candidate, score];
      }
    }
  }
  return factors;
}

export interface Validation {
  /** Figures of the held-out questions, one entry for each fold. */
  readonly fitted: readonly Figures[];
  readonly shipped: readonly Figures[];
}

/** For each fold: fits weights on the other folds and evaluates them on this one. */
export function crossValidate(results: readonly SearchResult[], folds: number): Validation {
  // Alerts of one runbook are similar, so they all belong to one fold.
  const runbooks = [...new Set(results.map(({ runbook }) => runbook))];
  const count = Math.min(folds, runbooks.length);
  const isIn = (fold: number) => (result: SearchResult) => runbooks.indexOf(result.runbook) % count === fold;
  const partOf = (fold: number) => results.filter(isIn(fold));
  const others = (fold: number) => results.filter((result) => !isIn(fold)(result));
  const foldNumbers = Array.from({ length: count }, (_, fold) => fold);
  return {
    fitted: foldNumbers.map((fold) => figuresWith(partOf(fold), fitFactors(others(fold)))),
    shipped: foldNumbers.map((fold) => figuresWith(partOf(fold), {})),
  };
}
