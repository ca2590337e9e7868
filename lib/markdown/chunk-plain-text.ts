// Plain text chunking: whole paragraphs where they fit, else sentences, else words.

import { lastWords, splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";
import type { ChunkOptions } from "./chunk-markdown.ts";

/** The position after a blank line. */
const PARAGRAPH_START = /(?<=\n[ \t\r]*\n)(?=[^\n])/;
const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });

/**
 * Splits plain text into bodies of at most `size` words (see `weightOf`). Each begins with the last words of the body
 * before it, at most `overlap`. Without the overlap, the bodies join to the text, except for whitespace at their edges.
 * Returns no body for a blank text.
 */
export function chunkPlainText(text: string, { size, overlap }: ChunkOptions): string[] {
  const bodies: string[] = [];
  let body = "";
  let weight = 0;
  for (const unit of text.split(PARAGRAPH_START).flatMap((paragraph) => units(paragraph, size))) {
    const unitWeight = weightOf(unit);
    if (weight > 0 && weight + unitWeight > size) {
      bodies.push(withoutBlankEdges(body));
      body = lastWords(body, Math.min(overlap, size - unitWeight));
      weight = weightOf(body);
    }
    body += unit;
    weight += unitWeight;
  }
  if (weight > 0) bodies.push(withoutBlankEdges(body));
  return bodies.flatMap(splitByBytes);
}

/** The paragraph, or its sentences, or pieces of a sentence. */
function units(paragraph: string, size: number): string[] {
  if (weightOf(paragraph) <= size) return [paragraph];
  const sentences = [...SENTENCES.segment(paragraph)].map(({ segment }) => segment);
  return sentences.flatMap((sentence) => (weightOf(sentence) <= size ? [sentence] : splitByWeight(sentence, size)));
}

/** Drops blank lines at both ends. Keeps the indentation of the first line. */
function withoutBlankEdges(body: string): string {
  const lines = body.split("\n");
  return lines
    .slice(lines.findIndex((line) => line.trim() !== ""))
    .join("\n")
    .trimEnd();
}
