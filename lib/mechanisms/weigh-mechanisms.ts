// How much each mechanism describes a failure: what its features compare with those of other systems. Pure functions.

import { isFrame } from "../logs/traces.ts";
import { MECHANISM_BY_NAME } from "./mechanisms.ts";
import { readMechanisms } from "./read-mechanisms.ts";

/** Measured on incidents of one cause in several systems: bench/incidents/causes/train. */
const HEADLINE = 0.8;
/** A symptom has many causes. */
const SYMPTOM = 0.5;
/** Of a mechanism for each that is coarser. */
const BROADER = 0.4;
/** Lines that are read: of a longer log the first and the last. */
const MAX_LINES = 200;
/** Lines that differ in numbers and ids alone are one. */
const VARIABLE = /(?<![\da-f-])[\da-f-]*\d[\da-f.:-]*/gi;

/** Share of the heaviest mechanism's weight from which on a mechanism is a search term. Lighter ones are hints. */
const MIN_SHARE = 0.3;
const MAX_TERMS = 8;

export interface FailureLines {
  readonly headline: string;
  /** The error lines, as they were logged. */
  readonly errorLines: readonly string[];
  /** The whole log. */
  readonly log: string;
}

/**
 * The weights of the mechanisms of a failure. Each further line that shows a mechanism adds less. Lines without an error count too:
 * those of a cause often look harmless ("LAG 411202").
 */
export function weighMechanisms({ headline, errorLines, log }: FailureLines): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  addStrengths(sums, headline, HEADLINE);
  for (const line of distinct(errorLines)) addStrengths(sums, line, 1);
  for (const line of distinct(endsOf(log.split("\n"))))
    if (!isFrame(line) && !errorLines.some((text) => line.includes(text))) addStrengths(sums, line, 1);
  const weights = new Map<string, number>();
  for (const [name, sum] of sums) {
    const { symptom, broader = [] } = MECHANISM_BY_NAME.get(name) ?? {};
    const weight = Math.log1p(sum) * (symptom ? SYMPTOM : 1);
    raise(weights, name, weight);
    for (const coarser of broader) raise(weights, coarser, weight * BROADER);
  }
  return weights;
}

/**
 * `memory-exhausted`, `killed-by-signal`: the mechanisms of a failure as search terms, equal for one cause in unlike systems.
 * The heaviest come first.
 */
export function mechanismTerms(weights: Readonly<Record<string, number>>): string[] {
  const sorted = Object.entries(weights).sort((a, b) => b[1] - a[1]);
  const heaviest = sorted[0]?.[1] ?? 0;
  return sorted
    .filter(([, weight]) => weight >= heaviest * MIN_SHARE)
    .slice(0, MAX_TERMS)
    .map(([name]) => name);
}

/** Whether many different causes lead to the mechanism. */
export function isSymptom(name: string): boolean {
  return MECHANISM_BY_NAME.get(name)?.symptom ?? false;
}

function addStrengths(sums: Map<string, number>, text: string, factor: number): void {
  for (const [name, strength] of readMechanisms(text)) sums.set(name, (sums.get(name) ?? 0) + strength * factor);
}

function raise(weights: Map<string, number>, name: string, weight: number): void {
  weights.set(name, Math.max(weights.get(name) ?? 0, weight));
}

function endsOf(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES / 2), ...lines.slice(-MAX_LINES / 2)];
}

function distinct(lines: readonly string[]): string[] {
  return [...new Map(lines.map((line) => [line.replace(VARIABLE, "0").trim(), line])).values()];
}
