// Section with the metrics by category, as a table that is a heat map.

import { html } from "hono/html";
import { CATEGORIES, type EvalRun, METRIC_NAMES } from "../../runs/run-file.ts";
import { casePassed, type MetricFigure, metricFigure } from "../../statistics/metric-figures.ts";
import { count, share } from "../shared/format.ts";
import { emptyNote, type Markup, type Section } from "./markup.ts";

export function categoriesSection({ cases }: EvalRun): Section {
  const categories = CATEGORIES.filter((category) => cases.some((each) => each.category === category));
  const columns = categories.map((category) => cases.filter((each) => each.category === category));
  const rows = METRIC_NAMES.map((name) => ({ name, figures: columns.map((column) => metricFigure(column, name)) }));
  const applicable = rows.filter(({ figures }) => figures.some((figure) => figure !== null));
  return {
    id: "categories",
    heading: "By category",
    body:
      categories.length === 0
        ? emptyNote("The run has no case.")
        : html`<p class="note">The filled part of a cell is the distance to 1. A dash: the metric does not apply to the category.</p>
          <table class="heat">
            <caption>Mean of each metric over the cases of a category</caption>
            <thead><tr><td></td>${categories.map((category) => html`<th scope="col"><span>${category}</span></th>`)}</tr></thead>
            <tbody>
              <tr><th scope="row">cases passed</th>${columns.map((column) => passedCell(column.filter(casePassed).length, column.length))}</tr>
              ${applicable.map(({ name, figures }) => html`<tr><th scope="row">${name}</th>${figures.map(cell)}</tr>`)}
            </tbody>
          </table>`,
  };
}

function passedCell(passed: number, all: number): Markup {
  return html`<td style="--missing:${percent(1 - passed / all)}">${passed}<small>/${all}</small></td>`;
}

function cell(figure: MetricFigure | null): Markup {
  if (figure === null) return html`<td class="none"><span aria-label="does not apply">–</span></td>`;
  return html`<td style="--missing:${percent(1 - figure.mean)}" title="${count(figure.cases, "case")}">${share(figure.mean, 2)}</td>`;
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)}%`;
}
