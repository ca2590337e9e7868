// Owns the sections of the cases themselves: the failing ones each with what came back, the passed ones in a list.

import { html } from "hono/html";
import type { CaseResult, EvalRun, Retrieved, Trial } from "../../runs/run-file.ts";
import { latencyOf } from "../../statistics/latency.ts";
import { mean, present } from "../../statistics/mean.ts";
import { casePassed } from "../../statistics/metric-figures.ts";
import { count, duration, share } from "../format.ts";
import { code, type Markup, nothing, type Section, table, text } from "../markup.ts";

/** What a failing case is by the side of the run before. */
type Since = "now" | "before" | "first asked" | "first run";

const SINCE_WORDS: Readonly<Record<Since, string>> = {
  now: "passed before",
  before: "failed before too",
  "first asked": "asked for the first time",
  "first run": "",
};

export function failingSection(run: EvalRun, before: EvalRun | null): Section {
  const failing = run.cases.filter((each) => !casePassed(each)).map((each) => ({ each, since: sinceOf(each, before) }));
  // What is new comes first.
  const ordered = [
    ...failing.filter(({ since }) => since === "now"),
    ...failing.filter(({ since }) => since !== "now"),
  ];
  return {
    id: "failing",
    heading: "Failing cases",
    body:
      ordered.length === 0
        ? nothing(run.cases.length === 0 ? "No case was asked." : "No case fails.")
        : html`${ordered.map(({ each, since }) => failingCase(each, since))}`,
  };
}

export function passedSection({ cases }: EvalRun): Section {
  const passed = cases.filter(casePassed);
  const rows = passed.map((each) => [
    html`${text(each.title)} <span class="meta">${each.category} · ${code(each.id)}</span>`,
    shareOrDash(mean(present(each.trials.map(({ confidence }) => confidence)))),
    durationOrDash(latencyOf([each])?.p50),
  ]);
  return {
    id: "passed",
    heading: "Passed cases",
    body:
      passed.length === 0
        ? nothing("No case passed.")
        : html`<details><summary>${count(passed.length, "case")}</summary>
            ${table(["Case", "Confidence", "Time"], rows, { caption: "Passed cases, means and medians over their repeats", numeric: 2 })}
          </details>`,
  };
}

function sinceOf({ id }: CaseResult, before: EvalRun | null): Since {
  if (before === null) return "first run";
  const earlier = before.cases.find((each) => each.id === id);
  if (earlier === undefined) return "first asked";
  return casePassed(earlier) ? "now" : "before";
}

function failingCase({ id, category, domain, title, trials }: CaseResult, since: Since): Markup {
  const failing = trials.filter(({ failures }) => failures.length > 0);
  const [told] = failing;
  if (told === undefined) return html``;
  const reasons = Map.groupBy(
    failing.flatMap(({ failures }) => [...new Set(failures)]),
    (each) => each,
  );
  return html`<article class="case">
    <h3>${text(title)}</h3>
    <p class="meta">${category} · ${text(domain)} · ${code(id)} · fails in ${failing.length} of ${count(trials.length, "asking")}${
      SINCE_WORDS[since] !== "" &&
      html` · <strong class="${since === "now" ? "fell" : ""}">${since === "now" && "▼ "}${SINCE_WORDS[since]}</strong>`
    }</p>
    <h4>Expected, and not so</h4>
    <ul class="failures">${[...reasons].map(
      ([reason, times]) =>
        html`<li>${text(reason)}${trials.length > 1 && html` <span class="meta">${times.length} of ${trials.length}</span>`}</li>`,
    )}</ul>
    ${whatCame(told, trials.indexOf(told) + 1, trials.length)}
  </article>`;
}

function whatCame(trial: Trial, number: number, of: number): Markup {
  const { status, error, outcome, confidence, elapsedMs, summary, traceId } = trial;
  const ending = {
    answered: html`${outcome === null ? "answered without an outcome" : html`outcome ${text(outcome)}`}`,
    failed: html`failed: ${text(error ?? "no reason given")}`,
    timed_out: html`timed out: ${text(error ?? "no answer")}`,
  }[status];
  return html`<h4>Got${of > 1 && ` in asking ${number}`}</h4>
    <p>${ending}${confidence !== null && ` · confidence ${share(confidence, 2)}`} · ${duration(elapsedMs)}</p>
    ${summary !== "" && html`<blockquote>${text(summary)}</blockquote>`}
    <h4>Retrieved</h4>
    ${trial.retrieved.length === 0 ? nothing("Nothing was retrieved.") : retrievedTable(trial.retrieved)}
    ${
      trial.incidents.length > 0 &&
      html`<h4>Past incidents</h4>
        <ul class="incidents">${trial.incidents.map(
          (each) =>
            html`<li>${expectedMark(each.isExpected)}${text(each.title)} <span class="meta">${code(each.id)} · score ${each.score.toFixed(3)}</span></li>`,
        )}</ul>`
    }
    <p class="meta">Trace ${traceId === null ? "not recorded" : code(traceId)}</p>`;
}

function retrievedTable(retrieved: readonly Retrieved[]): Markup {
  const highest = Math.max(...retrieved.map(({ score }) => score));
  return html`${!retrieved.some(({ isExpected }) => isExpected) && html`<p class="note">None of these was expected.</p>`}
    <ol class="retrieved">${retrieved.map(
      ({ source, heading, score, grounding, isExpected }) => html`<li class="${isExpected ? "expected" : ""}">
        <p>${expectedMark(isExpected)}${text(heading)} <span class="meta">${code(source)}</span></p>
        <dl>
          ${bar("score", score.toFixed(3), highest > 0 ? Math.max(0, score) / highest : 0)}
          ${bar("grounding", share(grounding, 2), grounding)}
        </dl>
      </li>`,
    )}</ol>`;
}

/** @param part 0 to 1 of the whole bar */
function bar(name: string, figure: string, part: number): Markup {
  return html`<div><dt>${name}</dt><dd><span class="bar"><span style="width:${(part * 100).toFixed(1)}%"></span></span>${figure}</dd></div>`;
}

function expectedMark(isExpected: boolean): Markup | false {
  return isExpected && html`<strong class="mark">★ expected</strong> `;
}

function shareOrDash(value: number | null): string {
  return value === null ? "–" : share(value, 2);
}

function durationOrDash(value: number | undefined): string {
  return value === undefined ? "–" : duration(value);
}
