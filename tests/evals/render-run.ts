// Owns how a run is shown in a terminal: each metric with its spread and the run before, by category, and what failed. Pure.

import type { RenderOptions } from "../../dev/render.ts";
import { oneLine, renderTable } from "../../dev/table.ts";
import { type CaseResult, type EvalRun, METRIC_NAMES } from "./run-file.ts";
import { byCategory, changesSince, type Figure, figuresOf } from "./summary.ts";

/** @param before the last stored run; null where there is none */
export function renderRun(run: EvalRun, before: EvalRun | null, options: RenderOptions): string {
  return [
    describeRun(run),
    "",
    metricsTable(run, before, options),
    "",
    "By category",
    categoriesTable(run, options),
    "",
    ...failing(run.cases),
  ].join("\n");
}

function describeRun({ id, subject, repeats, cases, judge, startedAt, finishedAt }: EvalRun): string {
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
  const models = subject.models === null ? "answers are quoted, no model" : `models ${subject.models}`;
  const parts = [
    `Run ${id}: ${cases.length} cases × ${repeats}, ${seconds} s, against ${subject.url}`,
    `Dejavu ${subject.version}${subject.commit === null ? "" : ` (${subject.commit})`}, ${models}, ` +
      `reranker ${subject.reranker ?? "none"}, embedding ${subject.embedding ?? "away"}`,
    ...(judge === null ? [] : [`Judged by ${judge.model}, ${judge.passes} passes each`]),
  ];
  return parts.join("\n");
}

function metricsTable(run: EvalRun, before: EvalRun | null, options: RenderOptions): string {
  const changes = before === null ? undefined : changesSince(run, before);
  const rows = figuresOf(run.cases).map((figure) => {
    const change = changes?.get(figure.metric);
    return [
      figure.metric,
      number(figure.mean),
      figure.spread === null ? "" : `± ${number(figure.spread)}`,
      String(figure.cases),
      change === undefined ? "–" : number(change.before),
      change === undefined ? "" : signed(change.difference),
      change === undefined || change.cases === figure.cases ? "" : `over the ${change.cases} cases of both`,
    ];
  });
  const header = ["metric", "mean", "spread", "cases", before === null ? "before" : before.id, "change", ""];
  const legend = "Spread: half of what lies between the best repeat and the worst.";
  return `${renderTable(header, rows, options)}\n${legend}`;
}

function categoriesTable({ cases }: EvalRun, options: RenderOptions): string {
  const all = byCategory(cases);
  const shown = METRIC_NAMES.filter((metric) => all.some(({ figures }) => figureOf(figures, metric)));
  const rows = shown.map((metric) => [
    metric,
    ...all.map(({ figures }) => {
      const figure = figureOf(figures, metric);
      return figure === undefined ? "" : number(figure.mean);
    }),
  ]);
  return renderTable(["", ...all.map(({ category }) => category)], rows, options);
}

function figureOf(figures: readonly Figure[], metric: Figure["metric"]): Figure | undefined {
  return figures.find((figure) => figure.metric === metric);
}

function failing(cases: readonly CaseResult[]): string[] {
  const failed = cases.filter(({ trials }) => trials.some(({ failures }) => failures.length > 0));
  if (failed.length === 0) return ["Every case passed."];
  return [
    `${failed.length} of ${cases.length} cases failed`,
    ...failed.flatMap(({ id, category, trials }) => {
      const times = trials.filter(({ failures }) => failures.length > 0);
      const reasons = new Set(times.flatMap(({ failures }) => failures));
      const often = trials.length > 1 ? `, ${times.length} of ${trials.length} times` : "";
      return [`  ${category}/${id}${often}`, ...[...reasons].map((reason) => `      ${oneLine(reason)}`)];
    }),
  ];
}

function number(value: number): string {
  return value.toFixed(3);
}

function signed(difference: number): string {
  const rounded = number(Math.abs(difference));
  return rounded === "0.000" ? "same" : `${difference < 0 ? "−" : "+"}${rounded}`;
}
