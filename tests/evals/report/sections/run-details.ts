// Owns the section that says what was measured.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { count, duration, moment } from "../format.ts";
import { code, type Section, text } from "../markup.ts";

/** Enough of a commit's name to find it. */
const COMMIT_LENGTH = 12;

export function measuredSection(run: EvalRun): Section {
  const { subject, judge } = run;
  const took = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  const rows = [
    ["Dejavu", html`${text(subject.version)} at ${code(subject.url)}`],
    ["Commit", subject.commit === null ? "not known" : code(subject.commit.slice(0, COMMIT_LENGTH))],
    ["Models", subject.models === null ? "none: answers are quoted" : text(subject.models)],
    ["Reranker", subject.reranker === null ? "none" : text(subject.reranker)],
    ["Embedding", subject.embedding === null ? "not known" : text(subject.embedding)],
    ["Started", html`<time datetime="${run.startedAt}">${moment(run.startedAt)}</time>, took ${duration(took)}`],
    ["Asked", `${count(run.cases.length, "case")}, each ${count(run.repeats, "time")}`],
    ["Judge", judge === null ? "none" : html`${text(judge.model)}, ${count(judge.passes, "pass", "passes")}`],
    ["Run", code(run.id)],
  ];
  return {
    id: "measured",
    heading: "What was measured",
    body: html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`,
  };
}
