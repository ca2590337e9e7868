// Past incidents that are alike, as text for a terminal. Pure functions.

import wrapAnsi from "wrap-ansi";
import { describeHit, likenessLines, textParts, withStruck } from "../../functions/answer-view/past-incident-text.ts";
import type { IncidentHit } from "../../functions/schemas/triage-result.ts";
import type { RenderOptions } from "../render-options.ts";
import type { MemorySearchResult } from "../service/memory-search.ts";
import { oneLine } from "../table.ts";

const INDENT = "  ";

/** @param all also shows hits that are probably about another failure */
export function renderSimilar(
  { incidents, warnings }: MemorySearchResult,
  { width, all }: Pick<RenderOptions, "width"> & { readonly all: boolean },
): string {
  const shown = all ? incidents : incidents.filter(({ relevant }) => relevant);
  const left = incidents.length - shown.length;
  const others =
    left === 0 ? [] : [`${left} ${left === 1 ? "past incident is" : "past incidents are"} less likely: add --all.`];
  const lines = (text: string) => wrapped(text, width, "");
  return [
    ...(shown.length === 0 ? lines("No past incident is alike.") : []),
    ...shown.flatMap((hit, i) => [...(i === 0 ? [] : [""]), ...renderHit(hit, width)]),
    ...(others.length === 0 ? [] : ["", ...lines(others[0] ?? "")]),
    ...warnings.flatMap(({ message }) => lines(`! ${message}`)),
  ].join("\n");
}

function renderHit(hit: IncidentHit, width: number): string[] {
  const fix = hit.fixes.find(({ retired, worked }) => retired === null && worked > 0);
  return [
    ...wrapped(
      withStruck(textParts(describeHit(hit)), (former) => `~~${former}~~`),
      width,
      "",
    ),
    ...likenessLines(hit).flatMap((line) => wrapped(line, width, INDENT)),
    `${INDENT}record ${hit.id}`,
    ...(fix === undefined ? [] : [`${INDENT}fix    ${fix.id}`]),
  ];
}

function wrapped(text: string, width: number, indent: string): string[] {
  return wrapAnsi(oneLine(text), width - indent.length, { hard: true })
    .split("\n")
    .map((line) => indent + line);
}
