// Hits of a runbook search as text for a terminal. Pure functions.

import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import type { RunbookHit } from "../../functions/schemas/triage-result.ts";
import type { RenderOptions } from "../render-options.ts";
import { oneLine } from "../table.ts";

type Hit = Pick<RunbookHit, "source" | "title" | "heading" | "text" | "score" | "features" | "kind">;

export interface ShownSearch {
  readonly domain: { readonly name: string; readonly rule: string };
  readonly hits: readonly Hit[];
  readonly warnings: readonly { readonly message: string }[];
}

/** What each ranking feature says about a hit. */
const REASONS: Readonly<Record<keyof Hit["features"], string>> = {
  attached: "the report or a person names it",
  type: "about the recognised type",
  domain: "of the preferred domain",
  name: "its name is in the query",
  title: "title",
  lead: "beginning",
  document: "whole text",
  proximity: "words close together",
  dense: "meaning",
  bm25: "words",
};

const INDENT = "   ";
const EXCERPT_LINES = 3;

export function renderRunbookHits({ domain, hits, warnings }: ShownSearch, { width, color }: RenderOptions): string {
  const lines = (text: string, indent: string) =>
    wrapAnsi(oneLine(text), width - indent.length, { hard: true })
      .split("\n")
      .map((line) => indent + line);
  const bold = (text: string) => (color ? styleText("bold", text, { validateStream: false }) : text);
  return [
    ...lines(`Domain: ${domain.name} (${domain.rule}).`, ""),
    ...(hits.length === 0 ? ["No runbook matches. Add your own:", "  dejavu runbooks add <file or folder>"] : []),
    ...hits.flatMap((hit, i) => [
      "",
      ...lines(`${i + 1}. ${[hit.title, hit.heading].filter(Boolean).join(" › ")}`, "").map(bold),
      ...lines(`${hit.kind} ${hit.source}, score ${hit.score.toFixed(2)}: ${reasonsOf(hit)}`, INDENT),
      ...excerpt(lines(hit.text, INDENT)),
    ]),
    ...warnings.flatMap(({ message }) => lines(`! ${message}`, "")),
  ].join("\n");
}

/** The features with the largest contributions first. */
function reasonsOf({ features }: Hit): string {
  const reasons = Object.entries(features)
    .filter(([, feature]) => feature !== undefined && feature.value !== 0)
    .sort(([, a], [, b]) => (b?.value ?? 0) - (a?.value ?? 0))
    .map(([name, feature]) => `${nameOf(name)} ${feature?.value.toFixed(2)}`);
  return reasons.join(" + ") || "no feature matches";
}

function nameOf(feature: string): string {
  return Object.entries(REASONS).find(([name]) => name === feature)?.[1] ?? feature;
}

function excerpt(lines: readonly string[]): string[] {
  const shown = lines.slice(0, EXCERPT_LINES);
  return lines.length > EXCERPT_LINES ? [...shown.slice(0, -1), `${shown.at(-1)} …`.slice(0, 400)] : shown;
}
