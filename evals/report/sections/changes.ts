// Section with the cases that regressed or improved since the previous run.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { type CaseChange, type Comparison, oddsOfChance } from "../../statistics/changes.ts";
import { casePassed } from "../../statistics/metric-figures.ts";
import { count, moment, share } from "../shared/format.ts";
import { code, emptyNote, type Markup, type Section, text } from "./markup.ts";

export function changesSection(run: EvalRun, before: EvalRun | null, comparison: Comparison | null): Section {
  const heading = "Regressed and improved";
  if (before === null || comparison === null) {
    return { id: "changes", heading, body: emptyNote("There is no previous run to compare with.") };
  }
  const { changes, added, dropped } = comparison;
  const odds = oddsOfChance(before.repeats, run.repeats);
  return {
    id: "changes",
    heading,
    body: html`<p class="note">Compared with the run of ${moment(before.startedAt)}, ${code(before.id)}. A case is listed when each of its
        repeats is above, or below, every repeat of that run. Chance alone does that once in ${odds} times in each direction.
        ${added.length > 0 && `${count(added.length, "case is", "cases are")} new.`}
        ${dropped.length > 0 && `${count(dropped.length, "case is", "cases are")} in the previous run only.`}</p>
      ${group(
        "Regressed",
        changes.filter(({ verdict }) => verdict === "regressed"),
        "No case regressed.",
      )}
      ${group(
        "Improved",
        changes.filter(({ verdict }) => verdict === "improved"),
        "No case improved.",
      )}`,
  };
}

function group(heading: string, changes: readonly CaseChange[], emptyText: string): Markup {
  return html`<h3>${heading}${changes.length > 0 && ` (${changes.length})`}</h3>
    ${changes.length === 0 ? emptyNote(emptyText) : html`<ul class="changes">${changes.map(changedCase)}</ul>`}`;
}

function changedCase({ case: result, moves }: CaseChange): Markup {
  const { id, title, category } = result;
  return html`<li>
    <p><strong>${text(title)}</strong> <span class="meta">${category} · ${code(id)}${casePassed(result) ? "" : " · fails, see above"}</span></p>
    <ul class="moves">${moves.map(
      ({ measure, before, now, direction }) =>
        html`<li class="${direction}">${direction === "fell" ? "▼" : "▲"} ${measure} <span class="figures">${share(before, 2)} → ${share(now, 2)}</span></li>`,
    )}</ul>
  </li>`;
}
