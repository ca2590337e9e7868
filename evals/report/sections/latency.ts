// Section with the response times.

import { html } from "hono/html";
import { CATEGORIES, type EvalRun } from "../../runs/run-file.ts";
import { type Latency, latencyOf, timedTrials } from "../../statistics/latency.ts";
import { type LatencyRow, latencyByCategoryChart, latencyOverRunsChart } from "../charts/latency-charts.ts";
import { count, duration, moments } from "../shared/format.ts";
import { chartInTwoWidths, emptyNote, type Markup, type Section, table } from "./markup.ts";

export function latencySection(runs: readonly EvalRun[], newest: EvalRun): Section {
  const all = latencyOf(newest.cases);
  return {
    id: "latency",
    heading: "Latency",
    body:
      all === null
        ? emptyNote("No trial was answered, so there are no times.")
        : html`${byCategory(newest, all)}${overRuns(runs)}`,
  };
}

function byCategory({ cases }: EvalRun, all: Latency): Markup {
  const rows = CATEGORIES.flatMap((label): LatencyRow[] => {
    const members = cases.filter(({ category }) => category === label);
    const latency = latencyOf(members);
    return latency === null ? [] : [{ label, trials: timedTrials(members), latency }];
  });
  const failed = cases.flatMap(({ trials }) => trials).filter(({ status }) => status === "failed").length;
  const lines = [...rows, { label: "all", latency: all }];
  return html`<div class="beside">
    <figure>
      <h3>By category</h3>
      ${chartInTwoWidths((name, width) => latencyByCategoryChart(name, rows, width), "latency-categories", labelOf("Latency by category", rows))}
      <figcaption>A stroke at the median, a bar to the 90th percentile, a whisker to the 99th. Below, a dot for each trial; a triangle is
        a timeout, whose time is a lower bound. ${all.timedOut > 0 && `${count(all.timedOut, "trial")} timed out.`} ${failed > 0 && `Not shown: ${count(failed, "failed trial")}.`} The axis is logarithmic.</figcaption>
    </figure>
    ${table(
      ["Category", "Trials", "p50", "p90", "p99"],
      lines.map(({ label, latency }) => [
        label,
        latency.trials,
        ...[latency.p50, latency.p90, latency.p99].map(duration),
      ]),
      { caption: "Response time", numeric: 4 },
    )}
  </div>`;
}

function overRuns(runs: readonly EvalRun[]): Markup {
  const labels = moments(runs.map(({ startedAt }) => startedAt));
  const points = runs.map((run, i) => ({ label: labels[i] ?? "", latency: latencyOf(run.cases) }));
  const measured = points.flatMap(({ label, latency }) => (latency ? [{ label, latency }] : []));
  return html`<figure>
    <h3>Over runs</h3>
    ${
      measured.length < 2
        ? emptyNote("A line needs two runs with answers.")
        : chartInTwoWidths(
            (name, width) => latencyOverRunsChart(name, points, width),
            "latency-runs",
            labelOf("Latency over runs, oldest first", measured),
          )
    }
  </figure>`;
}

function labelOf(title: string, rows: readonly { readonly label: string; readonly latency: Latency }[]): string {
  const parts = rows.map(
    ({ label, latency }) =>
      `${label}: median ${duration(latency.p50)}, 90th percentile ${duration(latency.p90)}, 99th ${duration(latency.p99)}`,
  );
  return `${title}. ${parts.join("; ")}.`;
}
