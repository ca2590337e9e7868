// Owns the page of the report: its order, and what it may load, which is nothing. Pure but for its style sheets.

import { readFileSync } from "node:fs";
import { html, raw } from "hono/html";
import type { EvalRun } from "../runs/run-file.ts";
import { type Comparison, compareRuns } from "../statistics/changes.ts";
import { casePassed } from "../statistics/metric-figures.ts";
import { count, list, moment } from "./format.ts";
import type { Markup } from "./markup.ts";
import { calibrationSection } from "./sections/calibration.ts";
import { failingSection, passedSection } from "./sections/cases.ts";
import { categoriesSection } from "./sections/categories.ts";
import { changesSection } from "./sections/changes.ts";
import { latencySection } from "./sections/latency.ts";
import { metricsSection } from "./sections/metrics.ts";
import { measuredSection } from "./sections/run-details.ts";
import { trendsSection } from "./sections/trends.ts";

/** Later ones refine what earlier ones say. */
const STYLE = ["page", "parts", "media"]
  .map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), "utf8"))
  .join("\n");
/** Whatever a run file holds, a browser runs and fetches nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** @param runs the newest last. @throws RangeError where there is none */
export function renderPage(runs: readonly EvalRun[]): Markup {
  const run = runs.at(-1);
  if (run === undefined) throw new RangeError("A report needs a run.");
  const before = runs.at(-2) ?? null;
  const comparison = before && compareRuns(before, run);
  const sections = [
    measuredSection(run),
    metricsSection(run, before),
    trendsSection(runs),
    categoriesSection(run),
    calibrationSection(run),
    latencySection(runs, run),
    changesSection(run, before, comparison),
    failingSection(run, before),
    passedSection(run),
  ];
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${POLICY}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Dejavu's evaluation of ${moment(run.startedAt)}</title>
    <link rel="icon" href="data:,">
    <style>${raw(STYLE)}</style>
  </head>
  <body>
    <div class="page">
      <header>
        <h1>Evaluation of ${moment(run.startedAt)}</h1>
        <p class="lede">${summaryOf(run, comparison)}</p>
      </header>
      <nav aria-label="Contents"><ul>${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></nav>
      <main>${sections.map(
        ({ id, heading, body }) => html`<section id="${id}" aria-labelledby="${id}-heading">
          <h2 id="${id}-heading">${heading}</h2>
          ${body}
        </section>`,
      )}</main>
      <footer>Made of ${count(runs.length, "stored run")}. All times are UTC. <code>npm run eval</code> makes a run,
        <code>npm run eval:report</code> this page.</footer>
    </div>
  </body>
</html>
`;
}

/** What an engineer wants to know first, in a sentence or two. */
function summaryOf({ cases }: EvalRun, comparison: Comparison | null): string {
  if (cases.length === 0) return "No case was asked.";
  const passed = cases.filter(casePassed).length;
  const trials = cases.flatMap((each) => each.trials);
  const timedOut = trials.filter(({ status }) => status === "timed_out").length;
  const failed = trials.filter(({ status }) => status === "failed").length;
  const lost = [...(timedOut > 0 ? [`${timedOut} timed out`] : []), ...(failed > 0 ? [`${failed} failed`] : [])];
  const having = (verdict: string) => comparison?.changes.filter((each) => each.verdict === verdict).length ?? 0;
  return [
    `${passed} of ${count(cases.length, "case")} passed.`,
    ...(comparison ? [`${having("regressed")} regressed and ${having("mended")} mended against the run before.`] : []),
    ...(lost.length > 0 ? [`Of ${count(trials.length, "asking")}, ${list(lost)}.`] : []),
  ].join(" ");
}
