// Owns how a run is shown in a terminal: each metric with its spread and the run before, by category, and what failed. Pure.

import type { RenderOptions } from "../../cli/render-triage.ts";
import { oneLine, renderTable } from "../../cli/table.ts";
import { CATEGORIES, type CaseResult, type EvalRun } from "./runs/run-file.ts";
import { metricChange } from "./statistics/changes.ts";
import { casePassed, metricFigure, metricFigures, trialPassed } from "./statistics/metric-figures.ts";
import type { Interval } from "./statistics/wilson.ts";

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
      !change || change.cases === cases ? "" : `over the ${change.cases} cases of both`,
    ];
  });
  const former = before === null ? "before" : before.id;
  const judged = run.judge === null ? [] : ["judge's"];
  const header = ["metric", "mean", "spread", ...judged, "cases", former, "change", "", ""];
  const legend =
    "Spread: half of what lies between the best repeat and the worst. Better, worse: all repeats lie beyond all of those before.";
  const judgedLegend = run.judge === null ? "" : "\nJudge's: the same between its passes, over the same answers.";
  return `${renderTable(header, rows, options)}\n${legend}${judgedLegend}`;
}

function spread({ low, high }: Interval): string {
  return `± ${number((high - low) / 2)}`;
}

const VERDICTS = { rose: "better", fell: "worse", same: "" } as const;

function categoriesTable({ cases }: EvalRun, options: RenderOptions): string {
  const all = CATEGORIES.map((category) => ({ category, own: cases.filter((each) => each.category === category) }));
  const asked = all.filter(({ own }) => own.length > 0);
  const rows = metricFigures(cases).map(({ metric }) => [
    metric,
    ...asked.map(({ own }) => {
      const figure = metricFigure(own, metric);
      return figure === null ? "" : number(figure.mean);
    }),
  ]);
  return renderTable(["", ...asked.map(({ category }) => category)], rows, options);
}

function failing(cases: readonly CaseResult[]): string[] {
  const failed = cases.filter((each) => !casePassed(each));
  if (failed.length === 0) return ["Every case passed."];
  return [
    `${failed.length} of ${cases.length} cases failed`,
    ...failed.flatMap(({ id, category, trials }) => {
      const times = trials.filter((trial) => trialPassed(trial) === 0);
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
