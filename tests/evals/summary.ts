// Owns how trials become figures: each metric's mean, how far it differs from repeat to repeat, and from the run before. Pure.

import { mean } from "./metrics.ts";
import { CATEGORIES, type CaseResult, type Category, type EvalRun, METRIC_NAMES, type MetricName } from "./run-file.ts";

export interface Figure {
  readonly metric: MetricName;
  /** Of the cases' means over their repeats, so each case counts the same. */
  readonly mean: number;
  /** Half of what lies between the repeat with the best mean and that with the worst; null of one repeat. */
  readonly spread: number | null;
  /** Cases that the metric says something of. */
  readonly cases: number;
}

/** Metrics that no case is about are left out. */
export function figuresOf(results: readonly CaseResult[]): Figure[] {
  return METRIC_NAMES.flatMap((metric) => {
    const about = results.filter((each) => meanOfCase(each, metric) !== undefined);
    if (about.length === 0) return [];
    const repeats = Math.max(...about.map(({ trials }) => trials.length));
    const means = Array.from({ length: repeats }, (_, repeat) =>
      mean(about.flatMap(({ trials }) => trials[repeat]?.metrics[metric] ?? [])),
    );
    return {
      metric,
      mean: mean(about.flatMap((each) => meanOfCase(each, metric) ?? [])),
      spread: repeats === 1 ? null : (Math.max(...means) - Math.min(...means)) / 2,
      cases: about.length,
    };
  });
}

export function byCategory(
  results: readonly CaseResult[],
): { readonly category: Category; readonly figures: Figure[] }[] {
  return CATEGORIES.flatMap((category) => {
    const some = results.filter((each) => each.category === category);
    return some.length === 0 ? [] : [{ category, figures: figuresOf(some) }];
  });
}

export interface Change {
  /** The mean of the run before over the cases that both have. */
  readonly before: number;
  /** What the mean over those cases is more by now. */
  readonly difference: number;
  readonly cases: number;
}

/** Each metric against the run before, over the cases that both runs measured it of; others cannot be compared. */
export function changesSince(run: Pick<EvalRun, "cases">, before: Pick<EvalRun, "cases">): Map<MetricName, Change> {
  const formerly = new Map(before.cases.map((each) => [each.id, each]));
  const changes = new Map<MetricName, Change>();
  for (const metric of METRIC_NAMES) {
    const pairs = run.cases.flatMap((each) => {
      const former = formerly.get(each.id);
      const [was, is] = [former && meanOfCase(former, metric), meanOfCase(each, metric)];
      return was === undefined || is === undefined ? [] : [{ was, is }];
    });
    if (pairs.length === 0) continue;
    const was = mean(pairs.map((pair) => pair.was));
    changes.set(metric, { before: was, difference: mean(pairs.map(({ is }) => is)) - was, cases: pairs.length });
  }
  return changes;
}

function meanOfCase({ trials }: CaseResult, metric: MetricName): number | undefined {
  const values = trials.flatMap(({ metrics }) => metrics[metric] ?? []);
  return values.length === 0 ? undefined : mean(values);
}
