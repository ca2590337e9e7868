// Judges examples with weights: as if the most probable text alone decided. Pure functions.

import type { RelevanceModel } from "../../functions/investigation/relevance/relevance-model.ts";
import { relevanceOf } from "../../functions/investigation/relevance/relevance-weights.ts";
import type { Asked, AskedCondition } from "./examples.ts";
import { aurocOf, calibrationErrorOf, coverageAt, type Graded } from "./figures.ts";

export interface JudgedReport extends Graded {
  readonly form: string;
  readonly condition: AskedCondition;
}

/** The most probable text of each report. A report without any has probability 0, which is right if none is stored. */
export function judgeExamples(reports: readonly Asked[], model: RelevanceModel): JudgedReport[] {
  return reports.map(({ report, condition, kind, candidates }) => {
    const judged = candidates.map(({ features, isRight }) => ({
      confidence: relevanceOf(model[kind], features).probability,
      isRight,
    }));
    const [best] = judged.toSorted((a, b) => b.confidence - a.confidence);
    return { form: report.form, condition, confidence: best?.confidence ?? 0, isRight: best?.isRight ?? false };
  });
}

export const EXAMPLE_HEADER = [
  ...["corpus", "asked", "cause right", "wrong", "removed: cause", "foreign: cause", "AUROC", "ECE"],
  ...["answered at precision 0.90", "0.95", "0.98"],
];

/** @param threshold probability from which a cause is named */
export function exampleRow(name: string, judged: readonly JudgedReport[], threshold: number): string[] {
  const of = (condition: AskedCondition) => judged.filter((each) => each.condition === condition);
  const [stored, removed, foreign] = [of("stored"), of("removed"), of("foreign")];
  const named = (reports: readonly JudgedReport[], isRight: boolean) =>
    reports.filter((each) => each.confidence >= threshold && each.isRight === isRight).length;
  const wrongShare = (reports: readonly JudgedReport[]) =>
    reports.length === 0 ? "–" : (named(reports, false) / reports.length).toFixed(3);
  return [
    name,
    ...[stored.length, named(stored, true), named(stored, false)].map(String),
    ...[wrongShare(removed), wrongShare(foreign)],
    aurocOf([...stored, ...removed])?.toFixed(3) ?? "–",
    calibrationErrorOf([...stored, ...removed]).toFixed(3),
    ...[0.1, 0.05, 0.02].map((risk) => coverageAt(stored, risk).toFixed(3)),
  ];
}
