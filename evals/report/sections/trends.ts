// Section with the metrics over runs.

import { html } from "hono/html";
import { type EvalRun, METRIC_NAMES, type MetricName } from "../../runs/run-file.ts";
import { metricFigure } from "../../statistics/metric-figures.ts";
import { type TrendPoint, trendChart } from "../charts/trend-chart.ts";
import { list, moments, share } from "../shared/format.ts";
import { chart, emptyNote, type Section } from "./markup.ts";
import { REFERENCE_FIGURES } from "./reference-figures.ts";

/** The vertical axes start here when no figure is lower, which makes small differences visible. */
const RAISED_FLOOR = 0.5;

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
  const runsWith = (points: readonly TrendPoint[]) => points.filter(({ value }) => value !== null).length;
  const trends = all.filter(({ points }) => runsWith(points) > 1);
  const measuredOnce = all.filter(({ points }) => runsWith(points) === 1).map(({ name }) => name);
  const lows = trends.flatMap(({ points }) => points.flatMap(({ value, low }) => (value === null ? [] : [low])));
  const floor = Math.min(...lows) >= RAISED_FLOOR ? RAISED_FLOOR : 0;
  return {
    id: "runs",
    heading: "Metrics over runs",
    body:
      trends.length === 0
        ? emptyNote("A line needs two runs: no metric was measured in two runs yet.")
        : html`<p class="note">${runs.length} runs, oldest first. Whiskers show the lowest and the highest repeat. A hollow dot is a
            run with other cases than the newest. A dashed line is the reference figure. All axes go from ${floor} to 1.
            ${measuredOnce.length > 0 && `Without a line, since measured in one run only: ${list(measuredOnce)}.`}</p>
          <div class="multiples">${trends.map(
            ({ name, points }) => html`<figure>
              <figcaption>${name}</figcaption>
              ${chart(trendChart(`trend-${name}`, points, { floor, reference: REFERENCE_FIGURES[name] ?? null }), labelOf(name, points))}
            </figure>`,
          )}</div>`,
  };
}

/** The ids of the cases that have the metric, as a comparable key. */
function casesOf(run: EvalRun, name: MetricName): string {
  const cases = run.cases.filter(({ trials }) => trials.some(({ metrics }) => metrics[name] !== undefined));
  return JSON.stringify(cases.map(({ id }) => id).toSorted());
}

function labelOf(name: MetricName, points: readonly TrendPoint[]): string {
  return `${name} over runs, oldest first: ${list(points.map(({ value }) => (value === null ? "not measured" : share(value))))}.`;
}
