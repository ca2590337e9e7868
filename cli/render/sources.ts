// The sources of an answer for a terminal: every section in the full form, every document in the short one. Pure functions.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { Writer } from "./terminal-text.ts";

type Source = TriageResult["sources"][number];

/** The number of each source by its id. The sections of one document have the same number in the short form. */
export function sourceNumbers(sources: readonly Source[], { full }: { readonly full: boolean }): Map<string, number> {
  if (full) return new Map(sources.map(({ id }, i) => [id, i + 1]));
  const documents = [...new Set(sources.map(documentOf))];
  return new Map(sources.map((source) => [source.id, documents.indexOf(documentOf(source)) + 1]));
}

export function fullSourceLines({ sources }: Pick<TriageResult, "sources">, { block, paint }: Writer): string[] {
  return sources.flatMap((source, i) =>
    block(`${nameOf(source, source.heading)} ${paint("dim", source.id)}`, 6, `  ${`[${i + 1}]`.padEnd(3)} `),
  );
}

/** One paragraph. @param cited ids in the shown parts of the answer */
export function shortSourceLines(
  { sources }: Pick<TriageResult, "sources">,
  cited: readonly string[],
  { block, cite, paint }: Writer,
): string[] {
  const shown = sources.filter(
    (source, i) =>
      sources.findIndex((other) => documentOf(other) === documentOf(source)) === i &&
      sources.some((other) => documentOf(other) === documentOf(source) && cited.includes(other.id)),
  );
  if (shown.length === 0) return [];
  const names = shown.map((source) => `${cite([source.id])} ${paint("dim", nameOf(source, ""))}`.trimStart());
  return block(`${paint("dim", shown.length === 1 ? "Source:" : "Sources:")} ${names.join(paint("dim", " · "))}`, 2);
}

function documentOf({ id, kind, source }: Source): string {
  return kind === "check" ? id : (source ?? id);
}

function nameOf({ kind, title, source }: Source, heading: string): string {
  if (kind === "incident") return `past incident "${title}"`;
  if (kind === "past_answer") return `past answer "${title}"`;
  // The runbook that declares it; `source` is that of the evidence.
  if (kind === "check") return heading === "" ? title : `${title} of ${heading}`;
  const place = [source ?? title, heading].filter((part) => part !== "").join(" › ");
  return kind === "runbook" ? place : `${kind} ${place}`;
}
