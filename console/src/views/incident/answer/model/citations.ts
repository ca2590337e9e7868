// What an answer cites, with the texts that its result holds. Pure functions.

import { type CitedSource, sourceName } from "../../../../../../functions/answer-view/source-text.ts";
import type { IncidentHit, TriageResult } from "../../../../../../functions/schemas/triage-result.ts";
import type { CheckResult } from "../../../../../../lib/checks/check.ts";

export type CitedContent =
  /** A section of a runbook, note or postmortem, or a past answer. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "check"; readonly check: CheckResult }
  | { readonly kind: "incident"; readonly incident: IncidentHit }
  /** The result does not hold it: the API has it. */
  | { readonly kind: "elsewhere" };

export interface Citation {
  readonly id: string;
  /** Number of the document, from 1. Sections of one document share it; checks have none. */
  readonly number: number | null;
  /** Short, on its button, such as "Likely causes". */
  readonly label: string;
  /** Whole, such as "shop/memory-limit.md › Likely causes". */
  readonly name: string;
  readonly content: CitedContent;
}

/** The citations of an answer by their id. Ids without a source are left out. */
export function citationsOf(result: TriageResult): ReadonlyMap<string, Citation> {
  const documents = [...new Set(result.sources.filter(({ kind }) => kind !== "check").map(documentOf))];
  const citations = result.sources.map((source): readonly [string, Citation] => [
    source.id,
    {
      id: source.id,
      number: source.kind === "check" ? null : documents.indexOf(documentOf(source)) + 1,
      label: labelOf(source, result),
      name: sourceName(source),
      content: contentOf(source, result),
    },
  ]);
  return new Map(citations);
}

/** Each source once, in the order of the ids. */
export function citedBy(citations: ReadonlyMap<string, Citation>, ids: readonly string[]): Citation[] {
  return [...new Set(ids)].flatMap((id) => citations.get(id) ?? []);
}

/** What all of several statements cite; null unless they cite the same. */
export function sharedCitations(
  statements: readonly { readonly citations: readonly string[] }[],
): readonly string[] | null {
  const [first, ...others] = statements.map(({ citations }) => citations);
  if (first === undefined || others.length === 0) return null;
  const isShared = others.every((ids) => ids.length === first.length && ids.every((id) => first.includes(id)));
  return isShared ? first : null;
}

function documentOf({ id, source }: CitedSource): string {
  return source ?? id;
}

function labelOf({ id, kind, title, heading }: CitedSource, { checks }: TriageResult): string {
  if (kind === "check") {
    const check = checks.find((each) => each.id === id);
    return check?.value == null ? `check ${check?.name ?? title}` : `check ${check.name}: ${shortValue(check.value)}`;
  }
  if (kind === "incident") return "past incident";
  if (kind === "past_answer") return "past answer";
  // The last heading names the section.
  return heading.split(" › ").at(-1) || title;
}

/** `0.97` of `0.97 (instance=db-1)`. */
function shortValue(value: string): string {
  return value.replace(/ \(.*$/s, "");
}

function contentOf({ id }: CitedSource, { checks, recalled }: TriageResult): CitedContent {
  const check = checks.find((each) => each.id === id);
  if (check) return { kind: "check", check };
  const incident = recalled.incidents.find((each) => each.id === id);
  if (incident) return { kind: "incident", incident };
  const text =
    recalled.runbooks.find((each) => each.id === id)?.text ??
    recalled.past_answers.find((each) => each.id === id)?.answer;
  return text === undefined ? { kind: "elsewhere" } : { kind: "text", text };
}
