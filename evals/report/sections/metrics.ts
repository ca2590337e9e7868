// Section with the mean of each metric, its spread and its change since the previous run.

import { html } from "hono/html";
import type { Interval } from "../../../functions/quality/wilson.ts";
import { type EvalRun, METRIC_NAMES, METRICS, type MetricName } from "../../runs/run-file.ts";
import { type Change, type Measure, metricChange, oddsOfChance } from "../../statistics/changes.ts";
import { casePassed, type MetricFigure, metricFigure } from "../../statistics/metric-figures.ts";
import { count, difference, share } from "../shared/format.ts";
import { emptyNote, type Markup, metricName, type Section } from "./markup.ts";
import { REFERENCE_FIGURES } from "./reference-figures.ts";

export function metricsSection(run: EvalRun, before: EvalRun | null): Section {
  const tiles = METRIC_NAMES.flatMap((name) => {
    const figure = metricFigure(run.cases, name);
    return figure === null ? [] : [metricTile(name, figure, { run, before })];
  });
  return {
    id: "metrics",
    heading: "Metrics",
    body: html`
      <ul class="tiles">${passedTile(run, before)}${tiles}</ul>
      ${tiles.length === 0 && emptyNote("No metric applies to these cases.")}
      <p class="note">${legendOf(run, before)}</p>
      <details><summary>Definitions of the metrics</summary>
        <dl class="glossary">${METRIC_NAMES.map((name) => html`<dt>${name}</dt><dd>${METRICS[name]}</dd>`)}</dl>
      </details>`,
  };
}

function passedTile(run: EvalRun, before: EvalRun | null): Markup {
  const passed = run.cases.filter(casePassed).length;
  return html`<li class="tile first">
    <h3>Cases passed</h3>
    <p class="value">${passed}<small> of ${run.cases.length}</small></p>
    ${changeLine("Passed", run, before)}
  </li>`;
}

function metricTile(
  name: MetricName,
  figure: MetricFigure,
  { run, before }: { readonly run: EvalRun; readonly before: EvalRun | null },
): Markup {
  const reference = REFERENCE_FIGURES[name];
  return html`<li class="tile">
    <h3>${metricName(name)}</h3>
    <p class="value">${share(figure.mean)}</p>
    ${changeLine(name, run, before)}
    ${figure.repeats.length > 1 && html`<p>${halfRange(figure.range)} over repeats</p>`}
    ${figure.judgeRange && html`<p>${halfRange(figure.judgeRange)} over judge passes</p>`}
    ${reference !== undefined && html`<p>${referenceNote(name, figure.mean, reference)}</p>`}
    <p>${count(figure.cases, "case")}</p>
  </li>`;
}

function halfRange({ low, high }: Interval): string {
  return `±${((high - low) / 2).toFixed(3)}`;
}

/** BaselineScore gets no verdict: it measures the judge's model, not Dejavu. */
function referenceNote(name: MetricName, value: number, reference: number): string {
  if (name === "BaselineScore") return `reference ${share(reference)}`;
  return value >= reference ? `✓ reference ${share(reference)}` : `✗ below reference ${share(reference)}`;
}

function changeLine(measure: Measure, run: EvalRun, before: EvalRun | null): Markup | false {
  if (before === null) return false;
  const change = metricChange(before, run, measure);
  if (change === null) return html`<p class="change">not in the previous run</p>`;
  return html`<p class="change ${change.direction}">${changeNote(change)}</p>`;
}

function changeNote({ before, now, direction }: Change): string {
  if (Math.abs(now - before) < 0.0005) return "= unchanged";
  const symbol = { rose: "▲", fell: "▼", same: "≈" }[direction];
  const meaning = { rose: "better", fell: "worse", same: "within the spread" }[direction];
  return `${symbol} ${difference(now - before)} ${meaning}`;
}

function legendOf(run: EvalRun, before: EvalRun | null): string {
  const spread =
    run.repeats > 1
      ? `Each figure is a mean over cases, 0 to 1, higher is better. ± is half the range of the ${run.repeats} repeats.`
      : "Each figure is a mean over cases, 0 to 1, higher is better. One repeat gives no spread.";
  if (before === null) return `${spread} There is no previous run to compare with.`;
  const odds = oddsOfChance(before.repeats, run.repeats);
  return `${spread} A difference compares the cases of both runs. It counts as better or worse when each repeat is above, or below, every repeat of the previous run; chance alone does that once in ${odds} times in each direction.`;
}
