// What the critique prompt shows beside the answer: why each cited source counts, and the error lines that the answer does not
// quote.

import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import type { Answer } from "../../schemas/answer.ts";
import type { Incident } from "../../schemas/incident.ts";
import type { CitableText } from "../evidence/citable-texts.ts";
import { errorLineText } from "./context-blocks.ts";
import { dataBlock } from "./data-block.ts";

/** Features of a source, by the size of their contributions. */
const MAX_FEATURES = 3;

export function reviewBlocks(answer: Answer, incident: Incident, texts: readonly CitableText[]): string {
  const cited = citedIds(answer);
  const sources = texts.filter(({ document }) => cited.has(document.id)).map(sourceText);
  const unexplained = unquotedLines(answer, incident);
  return [
    ...(sources.length > 0 ? [dataBlock("cited_sources", sources.join("\n"))] : []),
    ...(unexplained.length > 0 ? [dataBlock("unexplained_lines", unexplained.join("\n"))] : []),
  ].join("\n");
}

/** For example `R1: probability 0.82; rare terms +1.4, line cover +0.9, missing terms -0.3`. */
function sourceText({ name, relevance }: CitableText): string {
  const features = Object.entries(relevance.contributions)
    .filter(([feature, value]) => feature !== "bias" && value !== 0)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, MAX_FEATURES)
    .map(([feature, value]) => `${featureName(feature)} ${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`);
  const probability = `${name}: probability ${relevance.probability.toFixed(2)}`;
  return features.length === 0 ? probability : `${probability}; ${features.join(", ")}`;
}

/** `rareTerms` and `rare_terms` are "rare terms". */
function featureName(feature: string): string {
  return feature
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

function citedIds({ summary, evidence, likely_causes, possible_causes, confirm, mitigate }: Answer): Set<string> {
  const statements = [summary, ...evidence, ...likely_causes, ...possible_causes, ...confirm, ...mitigate];
  return new Set(statements.flatMap(({ citations }) => citations));
}

/** The error lines of which no evidence quotes a part, with their names. */
function unquotedLines({ evidence }: Answer, incident: Incident): string[] {
  const quotes = evidence.flatMap(({ quote }) => (quote === null ? [] : [folded(quote)]));
  return incident.evidence.lines.flatMap((line, i) => {
    const text = folded(line.text);
    return quotes.some((quote) => text.includes(quote) || quote.includes(text)) ? [] : [errorLineText(line, i)];
  });
}

function folded(text: string): string {
  return withoutMarkers(text).replace(/\s+/g, " ").trim().toLowerCase();
}
