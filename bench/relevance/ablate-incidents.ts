// What each feature of the model of past incidents adds: the loss on groups that it was not fitted to, without the feature.

import type { IncidentModel } from "../../functions/investigation/relevance/incident-model.ts";
import { relevanceOf } from "../../functions/investigation/relevance/relevance-weights.ts";
import type { IncidentExamples } from "./ask-incident.ts";
import { type Example, fitWeights } from "./fit.ts";
import { INCIDENT_FEATURES, incidentExamplesOf } from "./train-incidents.ts";

export interface Ablated {
  readonly kind: keyof IncidentModel;
  /** Null for all features. */
  readonly without: string | null;
  /** Mean of −ln of the probability of what is right, by the weights of the examples, on held-out groups. */
  readonly loss: number;
  readonly examples: number;
}

/** Technologies and corpora stand side by side, so that each fold has some of each. */
const FOLDS = 4;

/** @param features of each set of weights; by default, those of the product */
export function* ablateIncidents(
  groups: readonly IncidentExamples[],
  features: Readonly<Record<keyof IncidentModel, readonly string[]>> = INCIDENT_FEATURES,
): Generator<Ablated> {
  const folds = Array.from({ length: FOLDS }, (_, fold) => groups.filter((_group, i) => i % FOLDS === fold));
  for (const kind of Object.keys(features) as (keyof IncidentModel)[]) {
    const ofFolds = folds.map((fold) => incidentExamplesOf(kind, fold));
    for (const without of [null, ...features[kind]]) {
      const used = features[kind].filter((name) => name !== without);
      const lost = ofFolds.map((judged, fold) => {
        const weights = fitWeights(ofFolds.filter((_, other) => other !== fold).flat(), used);
        return judged.reduce(
          (sum, each) => sum + each.weight * lossOf(relevanceOf(weights, each.features).logOdds, each),
          0,
        );
      });
      const all = ofFolds.flat();
      const weight = all.reduce((sum, each) => sum + each.weight, 0);
      yield { kind, without, loss: lost.reduce((sum, each) => sum + each, 0) / weight, examples: all.length };
    }
  }
}

function lossOf(logOdds: number, { isRight }: Example): number {
  return Math.log1p(Math.exp(isRight ? -logOdds : logOdds));
}
