// What each feature of a relevance model adds: the loss on examples that it was not fitted to, without the feature.

import { type RelevanceWeights, relevanceOf } from "../../functions/investigation/relevance/relevance-weights.ts";
import type { Example } from "./fit.ts";

/** A set of weights, as it is trained. */
export interface Ablatable {
  readonly kind: string;
  readonly features: readonly string[];
  /** Each is judged by weights of the others. */
  readonly folds: readonly (readonly Example[])[];
  train(examples: readonly Example[], features: readonly string[]): RelevanceWeights;
}

export interface Ablated {
  readonly kind: string;
  /** Null for all features. */
  readonly without: string | null;
  /** Mean of −ln of the probability of what is right, by the weights of the examples, on the folds left out. */
  readonly loss: number;
  readonly examples: number;
}

export function* ablate({ kind, features, folds, train }: Ablatable): Generator<Ablated> {
  const all = folds.flat();
  const weight = all.reduce((sum, each) => sum + each.weight, 0);
  for (const without of [null, ...features]) {
    const used = features.filter((name) => name !== without);
    const lost = folds.flatMap((judged, fold) => {
      const weights = train(folds.filter((_, other) => other !== fold).flat(), used);
      return judged.map((each) => each.weight * lossOf(relevanceOf(weights, each.features).logOdds, each));
    });
    yield { kind, without, loss: lost.reduce((sum, each) => sum + each, 0) / weight, examples: all.length };
  }
}

function lossOf(logOdds: number, { isRight }: Example): number {
  return Math.log1p(Math.exp(isRight ? -logOdds : logOdds));
}
