// Weights of a relevance model, and the relevance that they give. Pure functions.

import { probabilityOf, type Relevance } from "./relevance.ts";
import type { RelevanceFeatures } from "./relevance-features.ts";

/** A logistic regression: log-odds = bias + Σ weight · (value − mean). */
export interface RelevanceWeights {
  /** Log-odds of a text whose features all have their mean. */
  readonly bias: number;
  readonly features: Readonly<Record<string, { readonly mean: number; readonly weight: number }>>;
}

/** The bounds of the log-odds: 1 % and 99 %. The examples are too few for surer probabilities. */
const MAX_LOG_ODDS = 4.595;

/** The relevance of a text with these features. */
export function relevanceOf({ bias, features }: RelevanceWeights, values: RelevanceFeatures): Relevance {
  const contributions: Record<string, number> = { bias };
  for (const [name, { mean, weight }] of Object.entries(features))
    contributions[name] = weight * ((values[name] ?? 0) - mean);
  const sum = Object.values(contributions).reduce((total, each) => total + each, 0);
  const logOdds = Math.min(MAX_LOG_ODDS, Math.max(-MAX_LOG_ODDS, sum));
  // The bound is a contribution too, so that they always sum to the log-odds.
  if (logOdds !== sum) contributions.bound = logOdds - sum;
  return { probability: probabilityOf(logOdds), logOdds, contributions };
}
