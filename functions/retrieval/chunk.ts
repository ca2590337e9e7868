// Owns how a Markdown document becomes chunks: cut at headings first, then at blocks, then at words.
// Knows nothing of stores, ids or embeddings.

export interface ChunkOptions {
  /** Most words in a chunk's body. */
  readonly size: number;
  /** Words at the end of a chunk that the next chunk of the same section repeats; less than `size`. */
  readonly overlap: number;
}

export interface Chunk {
  /** Position in the document, from 0. */
  readonly index: number;
  /** The document's title: its first level-1 heading, or the fallback that was given. */
  readonly title: string;
  /** Headings from level 2 down that the chunk stands under, outermost first; empty for the introduction. */
  readonly headingPath: readonly string[];
  /** The Markdown of the chunk, without its headings. */
  readonly body: string;
}

interface Section {
  readonly headingPath: readonly string[];
  readonly blocks: readonly string[];
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const FENCE = /^\s*(```+|~~~+)/;

/** Cuts a Markdown document into chunks. A code fence is split only when it alone is longer than `size` words. */
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
  return `${[chunk.title, ...chunk.headingPath].join(" › ")}\n\n${chunk.body}`;
}

function parseSections(markdown: string, fallbackTitle: string): { title: string; sections: Section[] } {
  let title: string | undefined;
  let path: string[] = [];
  let lines: string[] = [];
  const sections: Section[] = [];
  const close = () => {
    const blocks = splitBlocks(lines);
    if (blocks.length > 0) sections.push({ headingPath: path.filter((heading) => heading !== ""), blocks });
    lines = [];
  };

  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    fence = nextFence(fence, line);
    const heading = fence === undefined ? HEADING.exec(line) : null;
    if (!heading) {
      lines.push(line);
      continue;
    }
    close();
    const level = heading[1]?.length ?? 1;
    const text = heading[2] ?? "";
    if (level === 1 && title === undefined) {
      title = text;
      path = [];
    } else {
      // A second level-1 heading is a section like any other; a skipped level leaves an empty place.
      const depth = Math.max(level - 2, 0);
      path = [...path.slice(0, depth), ...Array<string>(Math.max(0, depth - path.length)).fill(""), text];
    }
  }
  close();
  return { title: title ?? fallbackTitle, sections };
}

/** The fence that is open after `line`, or undefined outside of code. */
function nextFence(open: string | undefined, line: string): string | undefined {
  const marker = FENCE.exec(line)?.[1];
  if (marker === undefined) return open;
  if (open === undefined) return marker;
  return marker.startsWith(open) ? undefined : open;
}

/** Splits at blank lines outside of code; indented blocks stay with the list item that they belong to. */
function splitBlocks(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  lines.forEach((line, i) => {
    const inside = fence !== undefined;
    fence = nextFence(fence, line);
    const continued = /^\s/.test(lines[i + 1] ?? "");
    if (!inside && line.trim() === "" && !continued) {
      if (block.length > 0) blocks.push(block.join("\n"));
      block = [];
    } else {
      block.push(line);
    }
  });
  if (block.length > 0) blocks.push(block.join("\n"));
  return blocks.map((text) => text.replace(/^\n+|\s+$/g, "")).filter((text) => text !== "");
}

function packBlocks(blocks: readonly string[], { size, overlap }: ChunkOptions): string[] {
  const bodies: string[] = [];
  let current: string[] = [];
  let words = 0;
  for (const block of blocks.flatMap((text) => splitLongBlock(text, size, overlap))) {
    const length = wordCount(block);
    if (words > 0 && words + length > size) {
      bodies.push(current.join("\n\n"));
      current = lastWords(current.join("\n\n"), Math.min(overlap, size - length));
      words = wordCount(current.join(" "));
    }
    current.push(block);
    words += length;
  }
  if (words > 0) bodies.push(current.join("\n\n"));
  return bodies;
}

function splitLongBlock(block: string, size: number, overlap: number): string[] {
  if (wordCount(block) <= size) return [block];
  const pieces: string[] = [];
  const words = [...block.matchAll(/\S+\s*/g)].map(([word]) => word);
  for (let start = 0; start < words.length; start += size - overlap) {
    pieces.push(
      words
        .slice(start, start + size)
        .join("")
        .trimEnd(),
    );
    if (start + size >= words.length) break;
  }
  return pieces;
}

function lastWords(text: string, count: number): string[] {
  if (count <= 0) return [];
  const words = [...text.matchAll(/\S+\s*/g)].map(([word]) => word);
  return [words.slice(-count).join("").trimEnd()];
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
