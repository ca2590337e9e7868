// Owns how Markdown is taken apart: title, sections by heading, blocks in a section. Linear in the text, whatever it holds.

export interface Section {
  /** Headings from level 2 down, outermost first; empty above the first of them. */
  readonly headingPath: readonly string[];
  /** Paragraphs, list items with all that is indented below them, code fences. */
  readonly blocks: readonly string[];
}

const HEADING = /^(#{1,6})[ \t](.*)$/;
// A fence of backticks has none behind it on its line: that would be code within a sentence.
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s/;

/** A heading without a word below it, and without a deeper heading, is a section that says what the heading says. */
export function parseSections(markdown: string, fallbackTitle: string): { title: string; sections: Section[] } {
  let title: string | undefined;
  let path: string[] = [];
  let above: { readonly level: number; readonly text: string } | undefined;
  let lines: string[] = [];
  const sections: Section[] = [];
  const close = (nextLevel: number) => {
    const said = splitBlocks(lines);
    const isLeaf = said.length === 0 && above !== undefined && above.text !== "" && nextLevel <= above.level;
    const blocks = isLeaf && above ? [above.text] : said;
    if (blocks.length > 0) sections.push({ headingPath: boundedPath(path), blocks });
    lines = [];
  };

  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    fence = fenceAfter(fence, line);
    const heading = fence === undefined ? HEADING.exec(line) : null;
    if (!heading) {
      lines.push(line);
      continue;
    }
    const level = heading[1]?.length ?? 1;
    const text = headingText(heading[2] ?? "");
    close(level);
    above = { level, text };
    // What is cut off a heading is said once, below it.
    if (text.length > MAX_HEADING_LENGTH) lines.push(text, "");
    if (level === 1 && title === undefined) {
      title = text;
      path = [];
    } else {
      // A second level-1 heading is a section like any other; a skipped level leaves an empty place.
      const depth = Math.max(level - 2, 0);
      path = [...path.slice(0, depth), ...Array<string>(Math.max(0, depth - path.length)).fill(""), text];
    }
  }
  close(0);
  return { title: bounded(title ?? fallbackTitle), sections };
}

/** Characters of a heading, and of all those above a chunk: each of its chunks repeats them. */
const MAX_HEADING_LENGTH = 200;
const MAX_PATH_LENGTH = 400;

/** Outer headings yield to inner ones. */
function boundedPath(path: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const heading of path.filter((each) => each !== "").reverse()) {
    const shown = bounded(heading);
    length += shown.length;
    if (length > MAX_PATH_LENGTH) break;
    kept.unshift(shown);
  }
  return kept;
}

function bounded(heading: string): string {
  return heading.length <= MAX_HEADING_LENGTH ? heading : `${heading.slice(0, MAX_HEADING_LENGTH - 1).toWellFormed()}…`;
}

/** Without the closing hashes that Markdown allows, which stand apart: "Symptoms ##", not "C#". */
function headingText(raw: string): string {
  const text = raw.trim();
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") end--;
  const stands = end === 0 || text[end - 1] === " " || text[end - 1] === "\t";
  return stands ? text.slice(0, end).trimEnd() : text;
}

/** The fence that is open after `line`, or undefined outside of code. */
export function fenceAfter(open: string | undefined, line: string): string | undefined {
  const marker = FENCE.exec(line)?.[1];
  if (marker === undefined) return open;
  if (open === undefined) return marker;
  // What closes a fence stands alone on its line; "```sh" inside a fence is code.
  const closes = marker.startsWith(open) && line.trim() === marker;
  return closes ? undefined : open;
}

/** The first paragraph of a Markdown text that is no code, on one line; undefined where there is none. */
export function firstParagraph(markdown: string): string | undefined {
  const paragraph = splitBlocks(markdown.split(/\r?\n/)).find((block) => !FENCE.test(block));
  return paragraph?.replace(/\s+/g, " ").trim();
}

/** Splits outside of code: at blank lines, unless what follows is indented below a list item, and at list items. */
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

/** Keeps the indentation of the first line that says something. */
function withoutBlankEdges(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? "" : lines.slice(first).join("\n").trimEnd();
}
