// Owns the section of the headline figures: each metric's mean, its spread, and what changed.

import { html } from "hono/html";
import { type EvalRun, METRIC_NAMES, METRICS, type MetricName } from "../../runs/run-file.ts";
import { type Change, type Measure, metricChange, oddsOfChance } from "../../statistics/changes.ts";
import { casePassed, type MetricFigure, metricFigure } from "../../statistics/metric-figures.ts";
import type { Interval } from "../../statistics/wilson.ts";
import { count, difference, share } from "../format.ts";
import { type Markup, metricName, nothing, type Section } from "../markup.ts";
import { REFERENCE_FIGURES } from "../reference-figures.ts";

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
      ${tiles.length === 0 && nothing("No metric says anything of these cases.")}
      <p class="note">${readingOf(run, before)}</p>
      <details><summary>What each metric says</summary>
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
    ${figure.repeats.length > 1 && html`<p>${halfOf(figure.range)} by repeat</p>`}
    ${figure.judgeRange && html`<p>${halfOf(figure.judgeRange)} by pass of the judge</p>`}
    ${reference !== undefined && html`<p>${referenceWords(name, figure.mean, reference)}</p>`}
    <p>${count(figure.cases, "case")}</p>
  </li>`;
}

function halfOf({ low, high }: Interval): string {
  return `±${((high - low) / 2).toFixed(3)}`;
}

/** A plain model is what Dejavu is compared with: how good it is, is no merit of Dejavu's. */
function referenceWords(name: MetricName, value: number, reference: number): string {
  if (name === "BaselineScore") return `reference ${share(reference)}`;
  return value >= reference ? `✓ reference ${share(reference)}` : `✗ below reference ${share(reference)}`;
}

function changeLine(measure: Measure, run: EvalRun, before: EvalRun | null): Markup | false {
  if (before === null) return false;
  const change = metricChange(before, run, measure);
  if (change === null) return html`<p class="change">not measured before</p>`;
  return html`<p class="change ${change.direction}">${changeWords(change)}</p>`;
}

function changeWords({ before, now, direction }: Change): string {
  if (Math.abs(now - before) < 0.0005) return "= unchanged";
  const mark = { rose: "▲", fell: "▼", same: "≈" }[direction];
  const meaning = { rose: "better", fell: "worse", same: "within the spread" }[direction];
  return `${mark} ${difference(now - before)} ${meaning}`;
}

function readingOf(run: EvalRun, before: EvalRun | null): string {
  const spread =
    run.repeats > 1
      ? `Each figure is a mean over cases, 0 to 1, higher is better; ± is half the distance between the lowest and the highest of the ${run.repeats} repeats.`
      : "Each figure is a mean over cases, 0 to 1, higher is better; asked once, so nothing is known of its spread.";
  if (before === null) return `${spread} There is no earlier run to compare with.`;
  const odds = oddsOfChance(before.repeats, run.repeats);
  return `${spread} A difference is to the run before, over the cases that both asked; it counts as better or worse where all repeats lie beyond all of those before, which chance alone does once in ${odds} times each way.`;
}
