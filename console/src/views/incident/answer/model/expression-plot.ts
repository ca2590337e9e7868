// The alert's expression as data of a plot. Pure functions.

import type { ObservedExpression } from "../../../../../../functions/schemas/live-evidence.ts";

export interface ExpressionPlot {
  /** Seconds since 1970, then the values of each series. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly { readonly label: string }[];
}

/** Series may lack points that others have: each has a null there. */
export function expressionPlot({ series }: Pick<ObservedExpression, "series">): ExpressionPlot {
  const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))].toSorted((a, b) => a - b);
  const names = distinctNames(series.map(({ labels }) => labels));
  const values = series.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => byTime.get(time) ?? null);
  });
  return { data: [times, ...values], series: names.map((label) => ({ label })) };
}

/** The labels that tell the series apart; all labels of a single series. */
function distinctNames(labels: readonly Readonly<Record<string, string>>[]): string[] {
  const names = [...new Set(labels.flatMap((each) => Object.keys(each)))].filter((name) => name !== "__name__");
  const differing = names.filter((name) => new Set(labels.map((each) => each[name])).size > 1);
  const shown = differing.length > 0 ? differing : names;
  return labels.map((each) => {
    const pairs = shown.flatMap((name) => (each[name] === undefined ? [] : [`${name}=${each[name]}`]));
    return pairs.join(", ") || "value";
  });
}
