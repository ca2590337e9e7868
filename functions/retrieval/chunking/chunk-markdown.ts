// Markdown chunking: splits at headings first, then at blocks, then at words. Neighbouring chunks of a section overlap.

import { parseSections } from "../text/markdown-sections.ts";
import { lastWords, splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";

export interface ChunkOptions {
  /** Maximum weight of a chunk's body, in words; a word of more than 16 characters counts as several. */
  readonly size: number;
  /** Maximum number of words that a chunk repeats from the end of the chunk before it; less than `size`. */
  readonly overlap: number;
}

export interface Chunk {
  /** Position in the document, from 0. */
  readonly index: number;
  /** The document's first level-1 heading, or the fallback title; at most 200 characters. */
  readonly title: string;
  /** Headings above the chunk from level 2 down, outermost first, at most 400 characters; empty in the introduction. */
  readonly headingPath: readonly string[];
  /** The Markdown of the chunk, without its headings. */
  readonly body: string;
}

/** Splits a Markdown document into chunks. A list item or a code fence is split only when it alone is too long. */
export function chunkMarkdown(markdown: string, fallbackTitle: string, options: ChunkOptions): Chunk[] {
  const { title, sections } = parseSections(markdown, fallbackTitle);
  const chunks: Chunk[] = [];
  for (const section of sections) {
    for (const body of packBlocks(section.blocks, options)) {
      chunks.push({ index: chunks.length, title, headingPath: section.headingPath, body });
    }
  }
  return chunks;
}

/** Returns the text of a chunk in both indexes: title and heading path give context to a bare command. */
export function chunkText(chunk: Pick<Chunk, "title" | "headingPath" | "body">): string {
  const head = [chunk.title, ...chunk.headingPath].join(" › ");
  return chunk.body === "" ? head : `${head}\n\n${chunk.body}`;
}

function packBlocks(blocks: readonly string[], { size, overlap }: ChunkOptions): string[] {
  const bodies: string[] = [];
  let current: string[] = [];
  let weight = 0;
  for (const block of blocks.flatMap((text, i) => splitLongBlock(text, { size, overlap }, i === 0))) {
    const blockWeight = weightOf(block);
    if (weight > 0 && weight + blockWeight > size) {
      bodies.push(current.join("\n\n"));
      current = overlapOf(current, Math.min(overlap, size - blockWeight));
      weight = current.reduce((sum, text) => sum + weightOf(text), 0);
    }
    current.push(block);
    weight += blockWeight;
  }
  if (weight > 0) bodies.push(current.join("\n\n"));
  return bodies.flatMap(splitByBytes);
}

/** Splits a block that is too long. All pieces but the first of a section leave room for the overlap. */
function splitLongBlock(block: string, { size, overlap }: ChunkOptions, isFirst: boolean): string[] {
  if (weightOf(block) <= size) return [block];
  const [first = ""] = isFirst ? splitByWeight(block, size) : [];
  const pieces = [...(isFirst ? [first] : []), ...splitByWeight(block.slice(first.length), size - overlap)];
  return pieces.map((piece) => piece.trimEnd());
}

const STRUCTURED = /^(?:[-*+]|\d{1,3}[.)])\s|```|~~~/m;

/** The end of a chunk that the next chunk repeats: whole blocks, or the last words of prose; no part of an item or fence. */
function overlapOf(blocks: readonly string[], maxWeight: number): string[] {
  const kept: string[] = [];
  let room = maxWeight;
  for (const block of blocks.toReversed()) {
    const weight = weightOf(block);
    if (weight > room) {
      const words = kept.length === 0 && !STRUCTURED.test(block) ? lastWords(block, room).trimEnd() : "";
      if (words !== "") kept.unshift(words);
      break;
    }
    kept.unshift(block);
    room -= weight;
  }
  return kept;
}

/** Fewer equal words are a coincidence, unless they are a whole list item. */
const MIN_OVERLAP_WORDS = 4;
const LIST_MARKER = /^(?:[-*+]|\d{1,3}[.)])$/;

/** Removes from a chunk's body the text that it repeats from the end of the chunk before it. */
export function withoutOverlap(body: string, previousBody: string): string {
  const words = [...body.matchAll(/\S+\s*/g)];
  const ending = previousBody.match(/\S+/g) ?? [];
  const isMarker = (i: number) => LIST_MARKER.test(words[i]?.[0].trimEnd() ?? "");
  for (let count = Math.min(words.length, ending.length); count > 0; count--) {
    const isWholeItem = count > 1 && isMarker(0) && isMarker(count);
    if (count < MIN_OVERLAP_WORDS && !isWholeItem) continue;
    const repeated = words.slice(0, count).map(([word]) => word.trimEnd());
    const isRepeated = repeated.every((word, i) => word === ending[ending.length - count + i]);
    // Removing only one of a pair of fences would turn prose into code.
    const fences = repeated.filter((word) => /^(?:`{3}|~{3})/.test(word)).length;
    if (isRepeated && fences % 2 === 0) return body.slice(words[count]?.index ?? body.length);
  }
  return body;
}
