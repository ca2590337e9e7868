// Rows of figures for the tables of `npm run bench -- relevance`. Pure functions.

import { INCIDENT_CONDITIONS, INCIDENT_FORMS } from "./ask-incident.ts";
import { figuresOf, type Judged } from "./figures.ts";
import type { JudgedIncident } from "./judge-incidents.ts";

export const FIGURE_HEADER = [
  ...["corpus", "asked", "first right", "cause right", "wrong", "possible right", "wrong", "unknown", "benign"],
  ...["cause if first", "or possible", "removed: cause", "AUROC", "ECE", "Brier", "coverage at 5 %", "10 %"],
];

export function figureRow(name: string, answers: readonly Judged[]): string[] {
  const figures = figuresOf(answers);
  return [
    name,
    ...[figures.asked, figures.firstRight, figures.causeRight, figures.causeWrong, figures.possibleRight].map(String),
    ...[figures.possibleWrong, figures.unknown, figures.benign].map(String),
    ...[figures.causeOfFirst, figures.causeOrPossibleOfFirst, figures.removedCause, figures.auroc].map(share),
    ...[figures.calibrationError, figures.brier, figures.coverageAt5, figures.coverageAt10].map(share),
  ];
}

export const SHOWN_HEADER = ["condition", "asked", "shown right", "wrong", "cause right", "wrong", "share wrong"];

/** What past incidents an answer shows in each condition, and how many name a cause. */
export function shownRows(judged: readonly JudgedIncident[]): string[][] {
  return INCIDENT_CONDITIONS.flatMap((condition) =>
    INCIDENT_FORMS.map((form) => {
      const selected = judged.filter(({ report }) => report.condition === condition && report.form === form);
      const sum = (valueOfEach: (each: JudgedIncident) => number) =>
        selected.reduce((total, each) => total + valueOfEach(each), 0);
      const wrong = sum(({ outcome, isRight }) => Number(outcome === "cause" && !isRight));
      return [
        `${condition}, ${form}`,
        ...[selected.length, sum((each) => each.shownRight), sum((each) => each.shownWrong)].map(String),
        ...[sum(({ outcome, isRight }) => Number(outcome === "cause" && isRight)), wrong].map(String),
        share(selected.length === 0 ? null : wrong / selected.length),
      ];
    }),
  );
}

function share(value: number | null): string {
  return value === null ? "" : value.toFixed(3);
}
