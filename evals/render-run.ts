// Terminal output of a run: metrics with spread and change, metrics by category, failed cases. Pure functions.

import type { RenderOptions } from "../cli/render-options.ts";
import { oneLine, renderTable } from "../cli/table.ts";
import type { Interval } from "../functions/quality/wilson.ts";
import { CATEGORIES, type CaseResult, type EvalRun } from "./runs/run-file.ts";
import { metricChange } from "./statistics/changes.ts";
import { casePassed, metricFigure, metricFigures, trialPassed } from "./statistics/metric-figures.ts";

/** @param before the previous stored run, or null */
export function renderRun(run: EvalRun, before: EvalRun | null, options: RenderOptions): string {
  return [
    describeRun(run),
    "",
    metricsTable(run, before, options),
    "",
    "Means by category",
    categoriesTable(run, options),
    "",
    ...failing(run.cases),
  ].join("\n");
}

function describeRun({ id, subject, repeats, cases, judge, startedAt, finishedAt }: EvalRun): string {
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
  const models = subject.models === null ? "no model (extractive answers)" : `models ${subject.models}`;
  const lines = [
    `Run ${id}: ${cases.length} cases × ${repeats} trials, ${seconds} s, against ${subject.url}`,
    `Dejavu ${subject.version}${subject.commit === null ? "" : ` (${subject.commit})`}, ${models}, ` +
      `reranker ${subject.reranker ?? "none"}, embedding ${subject.embedding ?? "unavailable"}`,
    ...(judge === null ? [] : [`Judge ${judge.model}, ${judge.passes} passes for each answer`]),
  ];
  return lines.join("\n");
}

function metricsTable(run: EvalRun, before: EvalRun | null, options: RenderOptions): string {
  const rows = metricFigures(run.cases).map(({ metric, mean, cases, repeats, range, judgeRange }) => {
    const change = before && metricChange(before, run, metric);
    return [
      metric,
      number(mean),
      repeats.length === 1 ? "" : spread(range),
      ...(run.judge === null ? [] : [judgeRange === null ? "" : spread(judgeRange)]),
      String(cases),
      change ? number(change.before) : "–",
      change ? signed(change.now - change.before) : "",
      change ? VERDICTS[change.direction] : "",
      !change || change.cases === cases ? "" : `over the ${change.cases} cases of both runs`,
    ];
  });
  const judgeHeader = run.judge === null ? [] : ["judge spread"];
  const header = ["metric", "mean", "spread", ...judgeHeader, "cases", "previous", "change", "", ""];
  const legend = [
    "mean: 0 to 1, higher is better, over the cases that the metric applies to.",
    "spread: half the range of the means of the repeats.",
    ...(run.judge === null
      ? []
      : ["judge spread: half the range of the means of the judge's passes over the same answers."]),
    ...(before === null
      ? ["previous: there is no earlier run."]
      : [`previous: run ${before.id}. better, worse: every repeat is above, or below, every repeat of that run.`]),
  ];
  return `${renderTable(header, rows, options)}\n${legend.join("\n")}`;
}

function spread({ low, high }: Interval): string {
  return `± ${number((high - low) / 2)}`;
}

const VERDICTS = { rose: "better", fell: "worse", same: "" } as const;

function categoriesTable({ cases }: EvalRun, options: RenderOptions): string {
  const columns = CATEGORIES.map((category) => ({
    category,
    members: cases.filter((result) => result.category === category),
  })).filter(({ members }) => members.length > 0);
  const rows = metricFigures(cases).map(({ metric }) => [
    metric,
    ...columns.map(({ members }) => {
      const figure = metricFigure(members, metric);
      return figure === null ? "" : number(figure.mean);
    }),
  ]);
  return renderTable(["metric", ...columns.map(({ category }) => category)], rows, options);
}

function failing(cases: readonly CaseResult[]): string[] {
  const failed = cases.filter((result) => !casePassed(result));
  if (failed.length === 0) return ["Every case passed."];
  return [
    `${failed.length} of ${cases.length} cases failed`,
    ...failed.flatMap(({ id, category, trials }) => {
      const failedTrials = trials.filter((trial) => trialPassed(trial) === 0);
      const reasons = new Set(failedTrials.flatMap(({ failures }) => failures));
      const share = trials.length > 1 ? `, ${failedTrials.length} of ${trials.length} trials` : "";
      return [`  ${category}/${id}${share}`, ...[...reasons].map((reason) => `      ${oneLine(reason)}`)];
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
