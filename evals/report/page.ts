// HTML page of the report: order of its sections, styles, and a content security policy that allows no external
// content.

import { readFileSync } from "node:fs";
import { html, raw } from "hono/html";
import type { CorpusAnswers } from "../runs/relevance-answers.ts";
import type { EvalRun } from "../runs/run-file.ts";
import { type Comparison, compareRuns } from "../statistics/changes.ts";
import { casePassed } from "../statistics/metric-figures.ts";
import { calibrationSection } from "./sections/calibration.ts";
import { failingSection, passedSection } from "./sections/cases.ts";
import { categoriesSection } from "./sections/categories.ts";
import { changesSection } from "./sections/changes.ts";
import { latencySection } from "./sections/latency.ts";
import type { Markup } from "./sections/markup.ts";
import { metricsSection } from "./sections/metrics.ts";
import { relevanceSection } from "./sections/relevance.ts";
import { runDetailsSection } from "./sections/run-details.ts";
import { trendsSection } from "./sections/trends.ts";
import { count, list, moment } from "./shared/format.ts";

/** In cascade order. */
const STYLE = ["page", "parts", "media"]
  .map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), "utf8"))
  .join("\n");
/** The browser runs and loads nothing, whatever a run file contains. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/**
 * @param runs oldest first; the page is about the last one
 * @param relevance answers of the relevance bench; null leaves their section out
 * @throws RangeError when there is no run
 */
export function renderPage(runs: readonly EvalRun[], relevance: readonly CorpusAnswers[] | null = null): Markup {
  const run = runs.at(-1);
  if (run === undefined) throw new RangeError("The report needs at least one run.");
  const before = runs.at(-2) ?? null;
  const comparison = before && compareRuns(before, run);
  // What needs work comes first; figures of the whole run follow.
  const sections = [
    failingSection(run, before),
    changesSection(run, before, comparison),
    passedSection(run),
    metricsSection(run, before),
    trendsSection(runs),
    categoriesSection(run),
    calibrationSection(run),
    ...(relevance === null ? [] : [relevanceSection(relevance)]),
    latencySection(runs, run),
    runDetailsSection(run),
  ];
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${POLICY}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Dejavu evaluation, ${moment(run.startedAt)}</title>
    <link rel="icon" href="data:,">
    <style>${raw(STYLE)}</style>
  </head>
  <body>
    <div class="page">
      <header>
        <h1>Evaluation, ${moment(run.startedAt)}</h1>
        <p class="lede">${summaryOf(run, comparison)}</p>
      </header>
      <nav aria-label="Contents"><ul>${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></nav>
      <main>${sections.map(
        ({ id, heading, body }) => html`<section id="${id}" aria-labelledby="${id}-heading">
          <h2 id="${id}-heading">${heading}</h2>
          ${body}
        </section>`,
      )}</main>
      <footer>Based on ${count(runs.length, "stored run")}. All times are in UTC. <code>dejavu eval</code> makes a run;
        <code>dejavu eval report</code> writes this page.</footer>
    </div>
  </body>
</html>
`;
}

/** Passed cases, changes against the previous run, and trials without an answer. */
function summaryOf({ cases }: EvalRun, comparison: Comparison | null): string {
  if (cases.length === 0) return "The run has no case.";
  const passed = cases.filter(casePassed).length;
  const trials = cases.flatMap((each) => each.trials);
  const timedOut = trials.filter(({ status }) => status === "timed_out").length;
  const failed = trials.filter(({ status }) => status === "failed").length;
  const unanswered = [...(timedOut > 0 ? [`${timedOut} timed out`] : []), ...(failed > 0 ? [`${failed} failed`] : [])];
  const countOf = (verdict: string) => comparison?.changes.filter((change) => change.verdict === verdict).length ?? 0;
  return [
    `${passed} of ${count(cases.length, "case")} passed.`,
    ...(comparison
      ? [`${countOf("regressed")} regressed and ${countOf("improved")} improved since the previous run.`]
      : []),
    ...(unanswered.length > 0 ? [`Of ${count(trials.length, "trial")}, ${list(unanswered)}.`] : []),
  ].join(" ");
}
