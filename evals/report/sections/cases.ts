// Sections of the cases: failing cases with their answers and retrieved texts, passed cases as a list.

import { html } from "hono/html";
import type { CaseResult, EvalRun, Retrieved, Trial } from "../../runs/run-file.ts";
import { latencyOf } from "../../statistics/latency.ts";
import { mean, present } from "../../statistics/mean.ts";
import { casePassed } from "../../statistics/metric-figures.ts";
import { count, duration, share } from "../shared/format.ts";
import { code, emptyNote, type Markup, type Section, table, text } from "./markup.ts";

/** Result of a failing case in the previous run. */
type PreviousResult = "passed" | "failed" | "new case" | "no previous run";

const PREVIOUS_LABELS: Readonly<Record<PreviousResult, string>> = {
  passed: "passed in the previous run",
  failed: "failed in the previous run, too",
  "new case": "new case",
  "no previous run": "",
};

/** New failures first, known ones last. */
const PREVIOUS_ORDER: readonly PreviousResult[] = ["passed", "new case", "no previous run", "failed"];

/** New failures first, then those in the larger share of trials, then the order of the run. */
export function failingSection(run: EvalRun, before: EvalRun | null): Section {
  const ordered = run.cases
    .filter((result) => !casePassed(result))
    .map((result) => ({ result, previous: previousResult(result, before) }))
    .toSorted(
      (a, b) =>
        PREVIOUS_ORDER.indexOf(a.previous) - PREVIOUS_ORDER.indexOf(b.previous) ||
        failedShare(b.result) - failedShare(a.result),
    );
  return {
    id: "failing",
    heading: "Failing cases",
    body:
      ordered.length === 0
        ? emptyNote(run.cases.length === 0 ? "The run has no case." : "No case failed.")
        : html`${ordered.map(({ result, previous }) => failingCase(result, previous))}`,
  };
}

export function passedSection({ cases }: EvalRun): Section {
  const passed = cases.filter(casePassed);
  const rows = passed.map((result) => [
    html`${text(result.title)} <span class="meta">${result.category} · ${code(result.id)}</span>`,
    shareOrDash(mean(present(result.trials.map(({ confidence }) => confidence)))),
    durationOrDash(latencyOf([result])?.p50),
  ]);
  return {
    id: "passed",
    heading: "Passed cases",
    body:
      passed.length === 0
        ? emptyNote("No case passed.")
        : html`<details><summary>${count(passed.length, "case")}</summary>
            ${table(["Case", "Confidence", "Time"], rows, { caption: "Passed cases: mean confidence and median time over the trials", numeric: 2 })}
          </details>`,
  };
}

function previousResult({ id }: CaseResult, before: EvalRun | null): PreviousResult {
  if (before === null) return "no previous run";
  const previous = before.cases.find((result) => result.id === id);
  if (previous === undefined) return "new case";
  return casePassed(previous) ? "passed" : "failed";
}

function failedShare({ trials }: CaseResult): number {
  return trials.filter(({ failures }) => failures.length > 0).length / trials.length;
}

function failingCase({ id, category, domain, title, trials }: CaseResult, previous: PreviousResult): Markup {
  const failing = trials.filter(({ failures }) => failures.length > 0);
  const [firstFailing] = failing;
  if (firstFailing === undefined) return html``;
  const reasons = Map.groupBy(
    failing.flatMap(({ failures }) => [...new Set(failures)]),
    (reason) => reason,
  );
  const label = PREVIOUS_LABELS[previous];
  const isNew = previous === "passed";
  return html`<article class="case">
    <h3>${text(title)}</h3>
    <p class="meta">${category} · ${text(domain)} · ${code(id)} · failed in ${failing.length} of ${count(trials.length, "trial")}${
      label !== "" && html` · <strong class="${isNew ? "fell" : ""}">${isNew && "▼ "}${label}</strong>`
    }</p>
    <h4>Failed expectations</h4>
    <ul class="failures">${[...reasons].map(
      ([reason, times]) =>
        html`<li>${text(reason)}${trials.length > 1 && html` <span class="meta">${times.length} of ${trials.length}</span>`}</li>`,
    )}</ul>
    <details><summary>Answer and retrieved texts</summary>
      ${answerOf(firstFailing, trials.indexOf(firstFailing) + 1, trials.length)}
    </details>
  </article>`;
}

function answerOf(trial: Trial, number: number, total: number): Markup {
  const { status, error, outcome, confidence, elapsedMs, summary, traceId } = trial;
  const result = {
    answered: html`${outcome === null ? "answered without an outcome" : html`outcome ${text(outcome)}`}`,
    failed: html`failed: ${text(error ?? "no reason given")}`,
    timed_out: html`timed out: ${text(error ?? "no answer")}`,
  }[status];
  return html`<h4>Answer${total > 1 && ` of trial ${number}`}</h4>
    <p>${result}${confidence !== null && ` · confidence ${share(confidence, 2)}`} · ${duration(elapsedMs)}</p>
    ${summary !== "" && html`<blockquote>${text(summary)}</blockquote>`}
    <h4>Retrieved</h4>
    ${trial.retrieved.length === 0 ? emptyNote("Nothing was retrieved.") : retrievedTable(trial.retrieved)}
    ${
      trial.incidents.length > 0 &&
      html`<h4>Past incidents</h4>
        <ul class="incidents">${trial.incidents.map(
          ({ id, title, score, isExpected }) =>
            html`<li>${expectedMark(isExpected)}${text(title)} <span class="meta">${code(id)} · score ${score.toFixed(3)}</span></li>`,
        )}</ul>`
    }
    <p class="meta">Trace ${traceId === null ? "not recorded" : code(traceId)}</p>`;
}

function retrievedTable(retrieved: readonly Retrieved[]): Markup {
  const highest = Math.max(...retrieved.map(({ score }) => score));
  return html`${!retrieved.some(({ isExpected }) => isExpected) && html`<p class="note">None of these is expected.</p>`}
    <ol class="retrieved">${retrieved.map(
      ({ source, heading, score, probability, isExpected }) => html`<li class="${isExpected ? "expected" : ""}">
        <p>${expectedMark(isExpected)}${text(heading)} <span class="meta">${code(source)}</span></p>
        <dl>
          ${bar("score", score.toFixed(3), highest > 0 ? Math.max(0, score) / highest : 0)}
          ${bar("probability", share(probability, 2), probability)}
        </dl>
      </li>`,
    )}</ol>`;
}

/** @param fraction filled part of the bar, 0 to 1 */
function bar(name: string, figure: string, fraction: number): Markup {
  return html`<div><dt>${name}</dt><dd><span class="bar"><span style="width:${(fraction * 100).toFixed(1)}%"></span></span>${figure}</dd></div>`;
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
