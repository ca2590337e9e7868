// Markdown chunking: splits at headings, then between blocks, then between words. Adjacent chunks of a section overlap.

import { bytesOf, lastWords, MAX_BODY_BYTES, splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";
import { checkBlocks, withoutChecks } from "./check-blocks.ts";
import { parseSections } from "./markdown-sections.ts";

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

/**
 * Splits a Markdown document into chunks. A list item or a code fence is split only when it alone is too long. A check is
 * never split and has no weight: it is not searched, so it must not move the borders of the text around it.
 */
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
  for (const block of splitLongBlocks(blocks, { size, overlap })) {
    const blockWeight = searchedWeight(block);
    if (weight > 0 && weight + blockWeight > size) {
      bodies.push(current.join("\n\n"));
      current = overlapOf(current, Math.min(overlap, size - blockWeight));
      weight = current.reduce((sum, text) => sum + searchedWeight(text), 0);
    }
    if (wouldCutCheck(current, block)) {
      bodies.push(current.join("\n\n"));
      current = [];
      weight = 0;
    }
    current.push(block);
    weight += blockWeight;
  }
  if (current.length > 0) bodies.push(current.join("\n\n"));
  return bodies.flatMap(splitByBytes);
}

/** The weight of the text that is searched: that of checks does not count. */
function searchedWeight(block: string): number {
  return weightOf(withoutChecks(block));
}

/** Bytes of a UTF-16 unit in UTF-8, at most. */
const MAX_BYTES_OF_UNIT = 3;

/** Whether a body with checks would exceed the byte limit, at which it would be cut anywhere. */
function wouldCutCheck(current: readonly string[], block: string): boolean {
  const length = current.reduce((sum, text) => sum + text.length + 2, block.length);
  if (current.length === 0 || length * MAX_BYTES_OF_UNIT <= MAX_BODY_BYTES) return false;
  const body = [...current, block].join("\n\n");
  return bytesOf(body) > MAX_BODY_BYTES && hasChecks(body);
}

function hasChecks(text: string): boolean {
  return checkBlocks(text.split("\n")).length > 0;
}

function splitLongBlocks(blocks: readonly string[], options: ChunkOptions): string[] {
  let isFirst = true;
  return blocks.flatMap((block) => {
    const pieces = splitLongBlock(block, options, isFirst);
    isFirst &&= pieces.every((piece) => searchedWeight(piece) === 0);
    return pieces;
  });
}

/**
 * Splits a block that is longer than `size`. The pieces leave room for the overlap, except the first piece of a section,
 * which has no chunk before it.
 * @param isFirst whether the block is the first of its section
 */
function splitLongBlock(block: string, { size, overlap }: ChunkOptions, isFirst: boolean): string[] {
  if (searchedWeight(block) <= size) return [block];
  if (hasChecks(block)) return splitLongBlocks(apartFromChecks(block), { size, overlap });
  const [first = ""] = isFirst ? splitByWeight(block, size) : [];
  const pieces = [...(isFirst ? [first] : []), ...splitByWeight(block.slice(first.length), size - overlap)];
  return pieces.map((piece) => piece.trimEnd());
}

/** The checks of a block, and the text between them. */
function apartFromChecks(block: string): string[] {
  const lines = block.split("\n");
  const borders = [0, ...checkBlocks(lines).flatMap(({ start, end }) => [start, end]), lines.length];
  return borders
    .slice(1)
    .map((end, i) => lines.slice(borders[i], end).join("\n").trimEnd())
    .filter((part) => part.trim() !== "");
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
  let isEmpty = true;
  for (const block of blocks.toReversed()) {
    const weight = searchedWeight(block);
    if (weight > room) {
      const words = isEmpty && !LIST_OR_FENCE.test(block) ? lastWords(block, room).trimEnd() : "";
      if (words !== "") repeated.unshift(words);
      isEmpty &&= words === "";
      break;
    }
    repeated.unshift(block);
    isEmpty &&= weight === 0;
    room -= weight;
  }
  // A check alone is not repeated: it is no context for the text after it.
  return isEmpty ? [] : repeated;
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
