// Owns how a Markdown document becomes chunks: cut at headings first, then at blocks, then at words.
// Knows nothing of stores, ids or embeddings.

import { parseSections } from "../text/markdown-sections.ts";
import { lastWords, splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";

export interface ChunkOptions {
  /** What a chunk's body counts for at most, in words; a word of more than 16 characters counts for several. */
  readonly size: number;
  /** Words at the end of a chunk that the next chunk of the same section repeats, at most; less than `size`. */
  readonly overlap: number;
}

export interface Chunk {
  /** Position in the document, from 0. */
  readonly index: number;
  /** The document's title: its first level-1 heading, or the fallback that was given. Bounded. */
  readonly title: string;
  /** Headings from level 2 down that the chunk stands under, outermost first; empty for the introduction. Bounded. */
  readonly headingPath: readonly string[];
  /** The Markdown of the chunk, without its headings. */
  readonly body: string;
}

/** Cuts a Markdown document into chunks. A list item or a code fence is cut only when it alone is too long. */
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

/** The text that stands for a chunk in both indexes: title and heading path give a bare command its meaning. */
export function chunkText(chunk: Pick<Chunk, "title" | "headingPath" | "body">): string {
  const head = [chunk.title, ...chunk.headingPath].join(" › ");
  return chunk.body === "" ? head : `${head}\n\n${chunk.body}`;
}

function packBlocks(blocks: readonly string[], { size, overlap }: ChunkOptions): string[] {
  const bodies: string[] = [];
  let current: string[] = [];
  let weight = 0;
  for (const block of blocks.flatMap((text, i) => splitLongBlock(text, { size, overlap }, i === 0))) {
    const own = weightOf(block);
    if (weight > 0 && weight + own > size) {
      bodies.push(current.join("\n\n"));
      current = repeated(current, Math.min(overlap, size - own));
      weight = current.reduce((sum, text) => sum + weightOf(text), 0);
    }
    current.push(block);
    weight += own;
  }
  if (weight > 0) bodies.push(current.join("\n\n"));
  return bodies.flatMap(splitByBytes);
}

/** Pieces that leave room for the overlap, which the very first of a section need not; a block that fits stays whole. */
function splitLongBlock(block: string, { size, overlap }: ChunkOptions, isFirst: boolean): string[] {
  if (weightOf(block) <= size) return [block];
  const [first = ""] = isFirst ? splitByWeight(block, size) : [];
  const pieces = [...(isFirst ? [first] : []), ...splitByWeight(block.slice(first.length), size - overlap)];
  return pieces.map((piece) => piece.trimEnd());
}

const STRUCTURED = /^(?:[-*+]|\d{1,3}[.)])\s|```|~~~/m;

/** The end of a chunk that the next one repeats: whole blocks, or the last words of prose; never half an item or fence. */
function repeated(blocks: readonly string[], most: number): string[] {
  const kept: string[] = [];
  let room = most;
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
