// Section with the details of the run: instance under test, models, number of cases, judge.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { count, duration, moment } from "../shared/format.ts";
import { code, type Section, text } from "./markup.ts";

/** Characters of the commit hash that are shown. */
const COMMIT_LENGTH = 12;

export function runDetailsSection(run: EvalRun): Section {
  const { subject, judge } = run;
  const took = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
  const rows = [
    ["Dejavu", html`${text(subject.version)} at ${code(subject.url)}`],
    ["Commit", subject.commit === null ? "unknown" : code(subject.commit.slice(0, COMMIT_LENGTH))],
    ["Models", subject.models === null ? "none (extractive answers)" : text(subject.models)],
    ["Reranker", subject.reranker === null ? "none" : text(subject.reranker)],
    ["Embedding", subject.embedding === null ? "unknown" : text(subject.embedding)],
    ["Started", html`<time datetime="${run.startedAt}">${moment(run.startedAt)}</time>, took ${duration(took)}`],
    ["Cases", `${count(run.cases.length, "case")}, ${count(run.repeats, "trial")} each`],
    ["Judge", judge === null ? "none" : html`${text(judge.model)}, ${count(judge.passes, "pass", "passes")}`],
    ["Run", code(run.id)],
  ];
  return {
    id: "run",
    heading: "Run details",
    body: html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`,
  };
}
