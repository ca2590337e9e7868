// Owns what the features' weights are worth: the ranking without one of them, and weights that are fitted on some
// questions and judged on others.

import { FEATURE_WEIGHTS, type RankingFeature } from "../../../functions/retrieval/ranking/rank-hits.ts";
import type { HybridHit } from "../../../functions/search-index/hybrid-search.ts";
import { nameOf } from "./data-set.ts";
import { type Figures, figuresOf } from "./figures.ts";

export const FEATURES = Object.keys(FEATURE_WEIGHTS) as RankingFeature[];

/** What was found for a question, and the runbook that is right. */
export interface Found {
  readonly hits: readonly HybridHit[];
  readonly runbook: string;
}

export type Factors = Readonly<Partial<Record<RankingFeature, number>>>;

/** The rank of the right runbook where each feature counts its factor times its weight; 1 where no factor is given. */
export function rankWith({ hits, runbook }: Found, factors: Factors): number {
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

export function figuresWith(found: readonly Found[], factors: Factors): Figures {
  return figuresOf(found.map((each) => rankWith(each, factors)));
}

const TRIED = [0, 0.5, 0.75, 1, 1.5, 2];
const PASSES = 2;

/** Factors by coordinate ascent on the mean reciprocal rank, from the shipped weights on. */
function fitFactors(found: readonly Found[]): Factors {
  let factors: Factors = {};
  let best = figuresWith(found, factors)["MRR@10"];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const feature of FEATURES) {
      for (const factor of TRIED) {
        const tried = { ...factors, [feature]: factor };
        const reached = figuresWith(found, tried)["MRR@10"];
        if (reached > best) [factors, best] = [tried, reached];
      }
    }
  }
  return factors;
}

export interface Validation {
  /** Of the held-out questions, a fold each. */
  readonly fitted: readonly Figures[];
  readonly shipped: readonly Figures[];
}

/** Fits weights on all folds but one and judges them on that one, for each. */
export function crossValidate(found: readonly Found[], folds: number): Validation {
  // Alerts of one runbook are alike, and must not be on both sides.
  const runbooks = [...new Set(found.map(({ runbook }) => runbook))];
  const count = Math.min(folds, runbooks.length);
  const isIn = (fold: number) => (each: Found) => runbooks.indexOf(each.runbook) % count === fold;
  const partOf = (fold: number) => found.filter(isIn(fold));
  const others = (fold: number) => found.filter((each) => !isIn(fold)(each));
  const each = Array.from({ length: count }, (_, fold) => fold);
  return {
    fitted: each.map((fold) => figuresWith(partOf(fold), fitFactors(others(fold)))),
    shipped: each.map((fold) => figuresWith(partOf(fold), {})),
  };
}
