// Fits the relevance model: a logistic regression with an L2 penalty on standardised features, by Newton's method (Bishop,
// Pattern Recognition and Machine Learning, 2006, section 4.3.3).

import type { RelevanceFeatures } from "../../functions/investigation/relevance/relevance-features.ts";
import type { RelevanceWeights } from "../../functions/investigation/relevance/relevance-weights.ts";

export interface Example {
  readonly features: RelevanceFeatures;
  readonly isRight: boolean;
  /** Relative importance; a corpus' examples sum to a fixed total. */
  readonly weight: number;
}

/** Strength of the penalty, in pseudo-examples. On a plateau: a third and three times as much change no figure by 0.01. */
const PENALTY = 10;
const MAX_STEPS = 60;
const TOLERANCE = 1e-7;
const DIGITS = 4;

/** 1 for a feature that can only speak for a text, -1 for one that can only speak against it; else 0. */
export type SignOf = (name: string) => -1 | 0 | 1;

/**
 * A feature whose weight would have the wrong sign is left out, the farthest one first: it was fitted to what a corpus has by
 * chance, or stands in for another feature.
 * @throws RangeError without examples
 */
export function fitSigned(examples: readonly Example[], names: readonly string[], signOf: SignOf): RelevanceWeights {
  const weights = fitWeights(examples, names);
  const strengthOf = (name: string) => {
    const values = examples.map(({ features }) => features[name] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return (weights.features[name]?.weight ?? 0) * signOf(name) * Math.sqrt(variance);
  };
  const [worst] = names
    .map((name) => ({ name, strength: strengthOf(name) }))
    .filter(({ strength }) => strength < 0)
    .sort((a, b) => a.strength - b.strength);
  if (worst === undefined) return weights;
  return fitSigned(
    examples,
    names.filter((name) => name !== worst.name),
    signOf,
  );
}

/** @throws RangeError without examples */
export function fitWeights(examples: readonly Example[], names: readonly string[]): RelevanceWeights {
  if (examples.length === 0) throw new RangeError("There are no examples to fit.");
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  const featureOf = (example: Example, name: string) => example.features[name] ?? 0;
  const scales = names.map((name) => {
    const mean = examples.reduce((sum, each) => sum + each.weight * featureOf(each, name), 0) / total;
    const variance = examples.reduce((sum, each) => sum + each.weight * (featureOf(each, name) - mean) ** 2, 0) / total;
    return { mean, deviation: Math.sqrt(variance) + 1e-9 };
  });
  const rows = examples.map((example) =>
    Float64Array.from([1, ...names.map((name, i) => standardise(featureOf(example, name), scales[i]))]),
  );
  const solution = newton(rows, examples, names.length + 1);
  return {
    bias: round(solution[0] ?? 0),
    features: Object.fromEntries(
      names.map((name, i) => {
        const { mean, deviation } = scales[i] ?? { mean: 0, deviation: 1 };
        return [name, { mean: round(mean), weight: round((solution[i + 1] ?? 0) / deviation) }];
      }),
    ),
  };
}

function standardise(value: number, scale: { mean: number; deviation: number } | undefined): number {
  return scale === undefined ? 0 : (value - scale.mean) / scale.deviation;
}

function newton(rows: readonly Float64Array[], examples: readonly Example[], size: number): Float64Array {
  const solution = new Float64Array(size);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradient, hessian } = derivatives(rows, examples, solution);
    const change = solve(hessian, gradient);
    change.forEach((value, i) => {
      solution[i] = (solution[i] ?? 0) - value;
    });
    if (change.every((value) => Math.abs(value) < TOLERANCE)) break;
  }
  return solution;
}

function derivatives(rows: readonly Float64Array[], examples: readonly Example[], solution: Float64Array) {
  const size = solution.length;
  // The bias has no penalty.
  const penalty = (i: number) => (i === 0 ? 1e-6 : PENALTY);
  const gradient = Float64Array.from(solution, (value, i) => penalty(i) * value);
  const hessian = Array.from({ length: size }, (_, i) => {
    const row = new Float64Array(size);
    row[i] = penalty(i);
    return row;
  });
  rows.forEach((row, n) => {
    const { isRight, weight } = examples[n] as Example;
    let logOdds = 0;
    for (let i = 0; i < size; i++) logOdds += at(solution, i) * at(row, i);
    const probability = 1 / (1 + Math.exp(-logOdds));
    const error = weight * (probability - Number(isRight));
    const curvature = weight * probability * (1 - probability);
    for (let i = 0; i < size; i++) {
      gradient[i] = at(gradient, i) + error * at(row, i);
      const ofRow = hessian[i] as Float64Array;
      const scaled = curvature * at(row, i);
      for (let j = 0; j <= i; j++) ofRow[j] = at(ofRow, j) + scaled * at(row, j);
    }
  });
  for (let i = 0; i < size; i++)
    for (let j = i + 1; j < size; j++) (hessian[i] as Float64Array)[j] = at(hessian[j] as Float64Array, i);
  return { gradient, hessian };
}

/** Solves a symmetric, positive definite system by elimination. Changes the matrix. */
function solve(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const result = Float64Array.from(right);
  for (let pivot = 0; pivot < size; pivot++) {
    const pivotRow = matrix[pivot] as Float64Array;
    for (let i = pivot + 1; i < size; i++) {
      const row = matrix[i] as Float64Array;
      const factor = at(row, pivot) / at(pivotRow, pivot);
      if (factor === 0) continue;
      for (let j = pivot; j < size; j++) row[j] = at(row, j) - factor * at(pivotRow, j);
      result[i] = at(result, i) - factor * at(result, pivot);
    }
  }
  for (let i = size - 1; i >= 0; i--) {
    const row = matrix[i] as Float64Array;
    for (let j = i + 1; j < size; j++) result[i] = at(result, i) - at(row, j) * at(result, j);
    result[i] = at(result, i) / at(row, i);
  }
  return result;
}

function at(values: Float64Array, i: number): number {
  return values[i] ?? 0;
}

function round(value: number): number {
  return Number(value.toFixed(DIGITS));
}
