// What an answer cites, with the texts that its result holds. Pure functions.

import type { AnswerView, Item, Source } from "../../../../../../functions/answer-view/answer-view.ts";
import type { CitedSource } from "../../../../../../functions/answer-view/source-text.ts";
import type { IncidentHit, TriageResult } from "../../../../../../functions/schemas/triage-result.ts";
import type { CheckResult } from "../../../../../../lib/checks/check.ts";

export type CitedContent =
  /** A section of a runbook, note or postmortem, or a past answer. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "check"; readonly item: Item; readonly ran: CheckResult }
  | { readonly kind: "incident"; readonly incident: IncidentHit }
  /** The result does not hold it: the API has it. */
  | { readonly kind: "elsewhere" };

export interface Citation extends Source {
  /** Short, on its button, such as "Likely causes". */
  readonly label: string;
  readonly content: CitedContent;
}

/** The citations of an answer by their numbers. */
export function citationsOf(result: TriageResult, { sources, sections }: AnswerView): ReadonlyMap<number, Citation> {
  const items = sections.flatMap((section) => section.items);
  return new Map(
    sources.flatMap((source) => {
      const cited = result.sources.find(({ id }) => id === source.id);
      if (cited === undefined) return [];
      const check = items.find(({ ran }) => ran?.id === source.id);
      const content: CitedContent = check?.ran
        ? { kind: "check", item: check, ran: check.ran }
        : contentOf(cited, result);
      return [[source.number, { ...source, label: labelOf(cited, check?.ran ?? null), content }] as const];
    }),
  );
}

function labelOf({ kind, title, heading }: CitedSource, ran: CheckResult | null): string {
  // `0.97` of `0.97 (instance=db-1)`.
  if (ran !== null) return [`check ${ran.name}`, ...(ran.value?.split(" (").slice(0, 1) ?? [])].join(": ");
  switch (kind) {
    case "incident":
      return "past incident";
    case "past_answer":
      return "past answer";
    default:
      // The last heading names the section.
      return heading.split(" › ").at(-1) || title;
  }
}

function contentOf({ id }: CitedSource, { recalled }: TriageResult): CitedContent {
  const incident = recalled.incidents.find((each) => each.id === id);
  if (incident) return { kind: "incident", incident };
  const text =
    recalled.runbooks.find((each) => each.id === id)?.text ??
    recalled.past_answers.find((each) => each.id === id)?.answer;
  return text === undefined ? { kind: "elsewhere" } : { kind: "text", text };
}
