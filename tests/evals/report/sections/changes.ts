// Owns the section of the cases that regressed or were mended.

import { html } from "hono/html";
import type { EvalRun } from "../../runs/run-file.ts";
import { type CaseChange, type Comparison, oddsOfChance } from "../../statistics/changes.ts";
import { count, moment, share } from "../format.ts";
import { code, type Markup, nothing, type Section, text } from "../markup.ts";

export function changesSection(run: EvalRun, before: EvalRun | null, comparison: Comparison | null): Section {
  const heading = "Regressed and mended";
  if (before === null || comparison === null) {
    return { id: "changes", heading, body: nothing("This is the first run: there is none before it to compare with.") };
  }
  const { changes, added, dropped } = comparison;
  const odds = oddsOfChance(before.repeats, run.repeats);
  return {
    id: "changes",
    heading,
    body: html`<p class="note">Against the run of ${moment(before.startedAt)}, ${code(before.id)}. A case is listed where all of its repeats lie
        beyond all of those before; of a figure that varies by chance alone, that is 1 in ${odds} each way.
        ${added.length > 0 && `${count(added.length, "case is", "cases are")} asked for the first time.`}
        ${dropped.length > 0 && `${count(dropped.length, "case was", "cases were")} asked before and not now.`}</p>
      ${group(
        "Regressed",
        changes.filter(({ verdict }) => verdict === "regressed"),
        "No case regressed.",
      )}
      ${group(
        "Mended",
        changes.filter(({ verdict }) => verdict === "mended"),
        "No case was mended.",
      )}`,
  };
}

function group(heading: string, changes: readonly CaseChange[], none: string): Markup {
  return html`<h3>${heading}${changes.length > 0 && ` (${changes.length})`}</h3>
    ${changes.length === 0 ? nothing(none) : html`<ul class="changes">${changes.map(changedCase)}</ul>`}`;
}

function changedCase({ case: { id, title, category }, moves }: CaseChange): Markup {
  return html`<li>
    <p><strong>${text(title)}</strong> <span class="meta">${category} · ${code(id)}</span></p>
    <ul class="moves">${moves.map(
      ({ measure, before, now, direction }) =>
        html`<li class="${direction}">${direction === "fell" ? "▼" : "▲"} ${measure} <span class="figures">${share(before, 2)} → ${share(now, 2)}</span></li>`,
    )}</ul>
  </li>`;
}
