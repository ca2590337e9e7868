// Owns the section of the metrics over runs.

import { html } from "hono/html";
import { type EvalRun, METRIC_NAMES, type MetricName } from "../../runs/run-file.ts";
import { metricFigure } from "../../statistics/metric-figures.ts";
import { type TrendPoint, trendChart } from "../charts/trend-chart.ts";
import { list, moments, share } from "../format.ts";
import { chart, nothing, type Section } from "../markup.ts";
import { REFERENCE_FIGURES } from "../reference-figures.ts";

/** The vertical axes begin here where no figure is lower, so that differences are seen. */
const HIGH_FLOOR = 0.5;

export function trendsSection(runs: readonly EvalRun[]): Section {
  const newest = runs.at(-1);
  const labels = moments(runs.map(({ startedAt }) => startedAt));
  const all = METRIC_NAMES.map((name) => ({
    name,
    points: runs.map((run, i): TrendPoint => {
      const figure = metricFigure(run.cases, name);
      return {
        label: labels[i] ?? "",
        value: figure?.mean ?? null,
        low: figure?.range.low ?? 0,
        high: figure?.range.high ?? 0,
        isComparable: newest !== undefined && casesOf(run, name) === casesOf(newest, name),
      };
    }),
  }));
  const measured = (points: readonly TrendPoint[]) => points.filter(({ value }) => value !== null).length;
  const trends = all.filter(({ points }) => measured(points) > 1);
  const once = all.filter(({ points }) => measured(points) === 1).map(({ name }) => name);
  const values = trends.flatMap(({ points }) => points.flatMap(({ value, low }) => (value === null ? [] : [low])));
  const floor = Math.min(...values) >= HIGH_FLOOR ? HIGH_FLOOR : 0;
  return {
    id: "runs",
    heading: "Metrics over runs",
    body:
      trends.length === 0
        ? nothing("No metric was measured by two runs yet: its line begins with the second.")
        : html`<p class="note">${runs.length} runs, oldest first. Whiskers reach from the lowest to the highest repeat; a hollow dot is
            a run that asked other cases than the newest; a dashed line is the reference figure. All axes go from ${floor} to 1.
            ${once.length > 0 && `Measured once so far, and so without a line: ${list(once)}.`}</p>
          <div class="multiples">${trends.map(
            ({ name, points }) => html`<figure>
              <figcaption>${name}</figcaption>
              ${chart(trendChart(`trend-${name}`, points, { floor, reference: REFERENCE_FIGURES[name] ?? null }), labelOf(name, points))}
            </figure>`,
          )}</div>`,
  };
}

/** Which cases a metric of a run is a mean of. */
function casesOf(run: EvalRun, name: MetricName): string {
  const ids = run.cases.filter(({ trials }) => trials.some(({ metrics }) => metrics[name] !== undefined));
  return JSON.stringify(ids.map(({ id }) => id).toSorted());
}

function labelOf(name: MetricName, points: readonly TrendPoint[]): string {
  return `${name} over runs, oldest first: ${list(points.map(({ value }) => (value === null ? "not measured" : share(value))))}.`;
}
