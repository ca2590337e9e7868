// Markdown chunking: splits at headings, then between blocks, then between words. Adjacent chunks of a section overlap.

import { parseSections } from "../text/markdown-sections.ts";
import { lastWords, splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";

export interface ChunkOptions {
  /** Maximum weight of a chunk's body, in words. A word of more than 16 characters counts as several words. */
  readonly size: number;
  /** Maximum weight, in words, of the text that a chunk repeats from the end of the chunk before it. Less than `size`. */
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

/**
 * Returns the text of a chunk for the keyword index and the vector store. It starts with the title and the heading path,
 * because a body such as a single command has no context of its own.
 */
export function chunkText(chunk: Pick<Chunk, "title" | "headingPath" | "body">): string {
  const head = [chunk.title, ...chunk.headingPath].join(" › ");
  return chunk.body === "" ? head : `${head}\n\n${chunk.body}`;
}

/** Joins the blocks of one section into chunk bodies of at most `size` words. */
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

/**
 * Splits a block that is longer than `size`. The pieces leave room for the overlap, except the first piece of a section,
 * which has no chunk before it.
 * @param isFirst whether the block is the first of its section
 */
function splitLongBlock(block: string, { size, overlap }: ChunkOptions, isFirst: boolean): string[] {
  if (weightOf(block) <= size) return [block];
  const [first = ""] = isFirst ? splitByWeight(block, size) : [];
  const pieces = [...(isFirst ? [first] : []), ...splitByWeight(block.slice(first.length), size - overlap)];
  return pieces.map((piece) => piece.trimEnd());
}

/** A list item or a code fence. */
const LIST_OR_FENCE = /^(?:[-*+]|\d{1,3}[.)])\s|```|~~~/m;

/**
 * Returns the end of a chunk, which the next chunk repeats: whole blocks, or the last words of a prose block. A list item
 * or a code fence is repeated whole or not at all.
 */
function overlapOf(blocks: readonly string[], maxWeight: number): string[] {
  const repeated: string[] = [];
  let room = maxWeight;
  for (const block of blocks.toReversed()) {
    const weight = weightOf(block);
    if (weight > room) {
      const words = repeated.length === 0 && !LIST_OR_FENCE.test(block) ? lastWords(block, room).trimEnd() : "";
      if (words !== "") repeated.unshift(words);
      break;
    }
    repeated.unshift(block);
    room -= weight;
  }
  return repeated;
}

/** Two chunks may have fewer equal words by chance. Only a whole list item counts as an overlap if it is shorter. */
const MIN_OVERLAP_WORDS = 4;
const LIST_MARKER = /^(?:[-*+]|\d{1,3}[.)])$/;

/**
 * Removes from a chunk's body the text that it repeats from the end of the chunk before it, so that an answer that quotes
 * both chunks has no text twice. The overlap is not stored, so it is found by comparing words.
 */
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
