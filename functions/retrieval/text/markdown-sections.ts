// Markdown parser: title, sections by heading, blocks within a section. Linear in the text.

export interface Section {
  /** Headings from level 2 down, outermost first; empty above the first heading. */
  readonly headingPath: readonly string[];
  /** Paragraphs, list items with everything indented below them, and code fences. */
  readonly blocks: readonly string[];
}

const HEADING = /^(#{1,6})[ \t](.*)$/;
// A backtick fence has no further backticks on its line: those would be inline code.
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s/;

/**
 * Parses the title and the sections. A heading without text and without a deeper heading below it becomes a section
 * with the heading as its only block.
 */
export function parseSections(markdown: string, fallbackTitle: string): { title: string; sections: Section[] } {
  let title: string | undefined;
  let path: string[] = [];
  let heading: { readonly level: number; readonly text: string } | undefined;
  let lines: string[] = [];
  const sections: Section[] = [];
  const close = (nextLevel: number) => {
    const ownBlocks = splitBlocks(lines);
    const isLeaf = ownBlocks.length === 0 && heading !== undefined && heading.text !== "" && nextLevel <= heading.level;
    const blocks = isLeaf && heading ? [heading.text] : ownBlocks;
    if (blocks.length > 0) sections.push({ headingPath: fitPath(path), blocks });
    lines = [];
  };

  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    fence = fenceAfter(fence, line);
    const match = fence === undefined ? HEADING.exec(line) : null;
    if (!match) {
      lines.push(line);
      continue;
    }
    const level = match[1]?.length ?? 1;
    const text = headingText(match[2] ?? "");
    close(level);
    heading = { level, text };
    // Section titles are shortened, so the full heading goes into the section's text once.
    if (text.length > MAX_HEADING_LENGTH) lines.push(text, "");
    if (level === 1 && title === undefined) {
      title = text;
      path = [];
    } else {
      // A second level-1 heading is an ordinary section; a skipped level leaves an empty heading in the path.
      const depth = Math.max(level - 2, 0);
      path = [...path.slice(0, depth), ...Array<string>(Math.max(0, depth - path.length)).fill(""), text];
    }
  }
  close(0);
  return { title: shorten(title ?? fallbackTitle), sections };
}

/** Limits in characters for a heading and for a heading path: each chunk repeats them. */
const MAX_HEADING_LENGTH = 200;
const MAX_PATH_LENGTH = 400;

/** Drops outer headings until the path fits. */
function fitPath(path: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const heading of path.filter((part) => part !== "").reverse()) {
    const short = shorten(heading);
    length += short.length;
    if (length > MAX_PATH_LENGTH) break;
    kept.unshift(short);
  }
  return kept;
}

function shorten(heading: string): string {
  return heading.length <= MAX_HEADING_LENGTH ? heading : `${heading.slice(0, MAX_HEADING_LENGTH - 1).toWellFormed()}…`;
}

/** Strips the closing hashes that Markdown allows after a space: "Symptoms ##", but not "C#". */
function headingText(raw: string): string {
  const text = raw.trim();
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") end--;
  const hasClosingHashes = end === 0 || text[end - 1] === " " || text[end - 1] === "\t";
  return hasClosingHashes ? text.slice(0, end).trimEnd() : text;
}

/** Returns the fence that is open after `line`, or undefined outside code. */
export function fenceAfter(open: string | undefined, line: string): string | undefined {
  const marker = FENCE.exec(line)?.[1];
  if (marker === undefined) return open;
  if (open === undefined) return marker;
  // A closing fence is alone on its line; "```sh" inside a fence is code.
  const closes = marker.startsWith(open) && line.trim() === marker;
  return closes ? undefined : open;
}

/** Returns the first paragraph that is not code, on one line; undefined when there is none. */
export function firstParagraph(markdown: string): string | undefined {
  const paragraph = splitBlocks(markdown.split(/\r?\n/)).find((block) => !FENCE.test(block));
  return paragraph?.replace(/\s+/g, " ").trim();
}

/** Splits outside code, at list items and at blank lines; not at a blank line with an indented line after it. */
function splitBlocks(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  const close = () => {
    const text = withoutBlankEdges(block);
    if (text !== "") blocks.push(text);
    block = [];
  };
  let fence: string | undefined;
  lines.forEach((line, i) => {
    const isInside = fence !== undefined;
    fence = fenceAfter(fence, line);
    const next = lines[i + 1] ?? "";
    if (!isInside && LIST_ITEM.test(line)) close();
    if (!isInside && line.trim() === "" && !(startsIndented(next) && next.trim() !== "")) close();
    else block.push(line);
  });
  close();
  return blocks;
}

function startsIndented(line: string): boolean {
  return line.startsWith(" ") || line.startsWith("\t");
}

/** Drops blank lines at both ends. Keeps the indentation of the first line. */
function withoutBlankEdges(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? "" : lines.slice(first).join("\n").trimEnd();
}
