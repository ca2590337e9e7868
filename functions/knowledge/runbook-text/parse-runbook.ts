// Splits the text of a runbook into its front matter and its sections, with the line of each.

import { frontMatterBlock, splitFrontMatter } from "../../../lib/markdown/front-matter.ts";
import { readSections } from "../../../lib/markdown/markdown-sections.ts";

/** A runbook split at its headings. */
export interface ParsedRunbook {
  readonly bytes: number;
  /** Without its delimiters; null without one. */
  readonly frontMatter: {
    readonly format: "yaml" | "toml";
    readonly fields: string;
    readonly isClosed: boolean;
  } | null;
  readonly sections: readonly ParsedSection[];
}

export interface ParsedSection {
  /** 0 for the text above the first heading. */
  readonly level: number;
  readonly heading: string;
  /** Headings from level 2 down, the own one last. */
  readonly path: readonly string[];
  /** Line of the heading, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
  /** Whether it shows an image, which is no text. */
  readonly hasImage: boolean;
}

export const BOUNDARY = "---";
const OPEN = /^---\r?\n[A-Za-z_]+:/;

/** @param bytes size of the text in UTF-8 */
export function parseRunbook(text: string, bytes: number): ParsedRunbook {
  const all = text.replace(/^\uFEFF/, "");
  const block = frontMatterBlock(all);
  const { markdown, linesAbove } = splitFrontMatter(all);
  const { sections } = readSections(markdown, "");
  const source = markdown.split("\n");
  const open = OPEN.test(all) ? ({ format: "yaml", fields: "", isClosed: false } as const) : null;
  return {
    bytes,
    frontMatter: block ? { format: block.format, fields: block.fields, isClosed: true } : open,
    sections: sections.map(({ heading, headingPath, line, lines }, i) => ({
      level: heading?.level ?? 0,
      heading: heading?.text ?? "",
      path: headingPath,
      line: linesAbove + (heading === null ? line : line - 1),
      lines,
      hasImage: source
        .slice(line - 1, (sections[i + 1]?.line ?? source.length + 2) - 2)
        .some((row) => row.includes("![")),
    })),
  };
}
