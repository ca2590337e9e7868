// Owns the section of the metrics by category: a heat map that is a table.

import { html } from "hono/html";
import { CATEGORIES, type EvalRun, METRIC_NAMES } from "../../runs/run-file.ts";
import { casePassed, type MetricFigure, metricFigure } from "../../statistics/metric-figures.ts";
import { count, share } from "../format.ts";
import { type Markup, nothing, type Section } from "../markup.ts";

export function categoriesSection({ cases }: EvalRun): Section {
  const categories = CATEGORIES.filter((category) => cases.some((each) => each.category === category));
  const columns = categories.map((category) => cases.filter((each) => each.category === category));
  const rows = METRIC_NAMES.map((name) => ({ name, figures: columns.map((column) => metricFigure(column, name)) }));
  const told = rows.filter(({ figures }) => figures.some((figure) => figure !== null));
  return {
    id: "categories",
    heading: "By category",
    body:
      categories.length === 0
        ? nothing("No case was asked.")
        : html`<p class="note">The fuller a cell, the more is missing; an empty one is 1, a dash says nothing.</p>
          <table class="heat">
            <caption>Each metric's mean over the cases of a category</caption>
            <thead><tr><td></td>${categories.map((category) => html`<th scope="col"><span>${category}</span></th>`)}</tr></thead>
            <tbody>
              <tr><th scope="row">cases passed</th>${columns.map((column) => passedCell(column.filter(casePassed).length, column.length))}</tr>
              ${told.map(({ name, figures }) => html`<tr><th scope="row">${name}</th>${figures.map(cell)}</tr>`)}
            </tbody>
          </table>`,
  };
}

function passedCell(passed: number, all: number): Markup {
  return html`<td style="--missing:${percent(1 - passed / all)}">${passed}<small>/${all}</small></td>`;
}

function cell(figure: MetricFigure | null): Markup {
  if (figure === null) return html`<td class="none"><span aria-label="says nothing">–</span></td>`;
  return html`<td style="--missing:${percent(1 - figure.mean)}" title="${count(figure.cases, "case")}">${share(figure.mean, 2)}</td>`;
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}
