// Past incidents that are alike, as text for a terminal. Pure functions.

import { describeHit, likenessLines, textParts, withStruck } from "../../functions/answer-view/past-incident-text.ts";
import type { IncidentHit } from "../../functions/schemas/triage-result.ts";
import { createWriter, type Writer } from "../render/terminal-text.ts";
import type { RenderOptions } from "../render-options.ts";
import type { MemorySearchResult } from "../service/memory-search.ts";
import { oneLine } from "../table.ts";

const INDENT = "  ";

/** @param all also shows hits that are probably about another failure */
export function renderSimilar(
  { incidents, warnings }: MemorySearchResult,
  { all, ...options }: RenderOptions & { readonly all: boolean },
): string {
  const shown = all ? incidents : incidents.filter(({ relevant }) => relevant);
  const left = incidents.length - shown.length;
  const others =
    left === 0 ? [] : [`${left} ${left === 1 ? "past incident is" : "past incidents are"} less likely: add --all.`];
  const { block } = createWriter(options);
  const lines = (text: string) => block(oneLine(text), 0);
  return [
    ...(shown.length === 0 ? lines("No past incident is alike.") : []),
    ...shown.flatMap((hit, i) => [...(i === 0 ? [] : [""]), ...renderHit(hit, block)]),
    ...(others.length === 0 ? [] : ["", ...lines(others[0] ?? "")]),
    ...warnings.flatMap(({ message }) => lines(`! ${message}`)),
  ].join("\n");
}

function renderHit(hit: IncidentHit, block: Writer["block"]): string[] {
  const fix = hit.fixes.find(({ retired, worked }) => retired === null && worked > 0);
  return [
    ...block(oneLine(withStruck(textParts(describeHit(hit)), (former) => `~~${former}~~`)), 0),
    ...likenessLines(hit).flatMap((line) => block(oneLine(line), INDENT.length)),
    `${INDENT}record ${hit.id}`,
    ...(fix === undefined ? [] : [`${INDENT}fix    ${fix.id}`]),
  ];
}
