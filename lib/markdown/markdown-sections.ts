// Markdown parser: title, sections by heading, blocks within a section. Linear in the text.

import { checkBlocks, withoutBlankEdges, withoutChecks } from "./check-blocks.ts";
import { fenceAfter, isFenced } from "./fences.ts";
import { isPlaceholder } from "./placeholders.ts";
import { plainMarkdown } from "./plain-markdown.ts";
import { sectionRole } from "./section-role.ts";
import { isDelimiter } from "./tables.ts";

export interface Section {
  /** Headings from level 2 down, outermost first; empty above the first heading. */
  readonly headingPath: readonly string[];
  /** Number of the heading's line in the text, from 1; 1 above the first heading. */
  readonly line: number;
  /** Paragraphs, list items with everything indented below them, code fences, and checks with their rules. */
  readonly blocks: readonly string[];
}

const HEADING = /^(#{1,6})[ \t](.*)$/;
const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])\s/;

/** The lines below a heading, up to the next one. */
export interface SectionLines {
  readonly headingPath: readonly string[];
  /** Null above the first heading. */
  readonly heading: { readonly level: number; readonly text: string } | null;
  /** Number of the first of `lines` in the text, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/**
 * Parses the title and the sections. A heading without text and without a deeper heading below it becomes a section
 * with the heading as its only block.
 */
export function parseSections(markdown: string, fallbackTitle: string): { title: string; sections: Section[] } {
  const { title, sections } = readSections(markdown, fallbackTitle);
  return {
    title,
    sections: sections.flatMap(({ headingPath, heading, line, lines }, i) => {
      // Section titles are shortened, so the full heading goes into the section's text once.
      const isLong = (heading?.text.length ?? 0) > MAX_HEADING_LENGTH;
      const ownBlocks = splitBlocks(isLong && heading ? [heading.text, "", ...lines] : lines);
      const nextLevel = sections[i + 1]?.heading?.level ?? 0;
      const isLeaf =
        ownBlocks.length === 0 && heading !== null && !isEmptyPart(heading.text) && nextLevel <= heading.level;
      const blocks = isLeaf ? [heading.text] : ownBlocks;
      return blocks.length > 0 ? [{ headingPath, line: heading === null ? 1 : line - 1, blocks }] : [];
    }),
  };
}

/** Whether a heading without a text says nothing: "Mitigation". Others may be what there is to say: "Restart the server". */
function isEmptyPart(heading: string): boolean {
  return heading === "" || (!/\s/.test(heading) && sectionRole([heading]) !== undefined);
}

/** Splits a text at its headings, with its lines as plain Markdown. */
export function readSections(markdown: string, fallbackTitle: string): { title: string; sections: SectionLines[] } {
  let title: string | undefined;
  let path: string[] = [];
  let lines: string[] = [];
  const sections: SectionLines[] = [{ headingPath: [], heading: null, line: 1, lines }];
  let fence: string | undefined;
  for (const { text: row, line } of plainMarkdown(markdown)) {
    fence = fenceAfter(fence, row);
    const match = fence === undefined ? HEADING.exec(row) : null;
    if (!match) {
      lines.push(row);
      continue;
    }
    const level = match[1]?.length ?? 1;
    const text = headingText(match[2] ?? "");
    if (level === 1 && title === undefined) {
      title = text;
      path = [];
    } else {
      // A second level-1 heading is an ordinary section; a skipped level leaves an empty heading in the path.
      const depth = Math.max(level - 2, 0);
      path = [...path.slice(0, depth), ...Array<string>(Math.max(0, depth - path.length)).fill(""), text];
    }
    lines = [];
    sections.push({ headingPath: fitPath(path), heading: { level, text }, line: line + 1, lines });
  }
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

/** The paragraphs and list items of a text that are neither code nor a check, a table or "TODO", each on one line. */
export function paragraphsOf(markdown: string): string[] {
  return splitBlocks(withoutChecks(markdown).split(/\r?\n/))
    .filter((block) => !isFenced(block) && !isDelimiter(block.split("\n")[1] ?? "") && !isPlaceholder(block))
    .map((block) => block.replace(/\s+/g, " ").trim());
}

/**
 * Splits outside code, at list items and at blank lines; not at a blank line with an indented line after it, and not
 * within a check with its rules.
 */
export function splitBlocks(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  const close = () => {
    const text = withoutBlankEdges(block);
    if (text !== "") blocks.push(text);
    block = [];
  };
  const inCheck = new Set(checkBlocks(lines).flatMap(({ start, end }) => range(start + 1, end)));
  let fence: string | undefined;
  lines.forEach((line, i) => {
    const isInside = fence !== undefined || inCheck.has(i);
    fence = fenceAfter(fence, line);
    const next = lines[i + 1] ?? "";
    if (!isInside && LIST_ITEM.test(line)) close();
    if (!isInside && line.trim() === "" && !(startsIndented(next) && next.trim() !== "")) close();
    else block.push(line);
  });
  close();
  return blocks;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

function startsIndented(line: string): boolean {
  return line.startsWith(" ") || line.startsWith("\t");
}
