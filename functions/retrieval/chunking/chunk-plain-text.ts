// Owns how plain text becomes chunks: whole paragraphs where they fit, else sentences, else words.

import { lastWords, splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";
import type { ChunkOptions } from "./chunk-markdown.ts";

/** Behind a blank line. */
const PARAGRAPH_START = /(?<=\n[ \t\r]*\n)(?=[^\n])/;
const SENTENCES = new Intl.Segmenter("en", { granularity: "sentence" });

/**
 * Cuts plain text into bodies that count for `size` words at most. Each begins with the last words of the one before,
 * `overlap` of them at most; without these the bodies are the text, but for blanks at their edges. None for a blank text.
 */
export function chunkPlainText(text: string, { size, overlap }: ChunkOptions): string[] {
  const bodies: string[] = [];
  let body = "";
  let weight = 0;
  for (const unit of text.split(PARAGRAPH_START).flatMap((paragraph) => units(paragraph, size))) {
    const own = weightOf(unit);
    if (weight > 0 && weight + own > size) {
      bodies.push(withoutBlankEdges(body));
      body = lastWords(body, Math.min(overlap, size - own));
      weight = weightOf(body);
    }
    body += unit;
    weight += own;
  }
  if (weight > 0) bodies.push(withoutBlankEdges(body));
  return bodies.flatMap(splitByBytes);
}

function units(paragraph: string, size: number): string[] {
  if (weightOf(paragraph) <= size) return [paragraph];
  const sentences = [...SENTENCES.segment(paragraph)].map(({ segment }) => segment);
  return sentences.flatMap((sentence) => (weightOf(sentence) <= size ? [sentence] : splitByWeight(sentence, size)));
}

/** Keeps the indentation of the first line that says something. */
function withoutBlankEdges(body: string): string {
  const lines = body.split("\n");
  return lines
    .slice(lines.findIndex((line) => line.trim() !== ""))
    .join("\n")
    .trimEnd();
}
