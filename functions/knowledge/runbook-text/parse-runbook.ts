// Splits the text of a runbook into its front matter and its sections, with the line of each.

import { fenceAfter } from "../../../lib/markdown/fences.ts";

/** A runbook split at its headings. */
export interface ParsedRunbook {
  readonly bytes: number;
  /** With its delimiters; null without one. `end` is missing if it does not end. */
  readonly frontMatter: { readonly yaml: string; readonly isClosed: boolean } | null;
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
}

const HEADING = /^(#{1,6})[ \t](.*)$/;
export const BOUNDARY = "---";

/** @param bytes size of the text in UTF-8 */
export function parseRunbook(text: string, bytes: number): ParsedRunbook {
  const all = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = all[0] === BOUNDARY ? all.indexOf(BOUNDARY, 1) : -1;
  const isOpen = all[0] === BOUNDARY && end === -1 && /^[A-Za-z_]+:/.test(all[1] ?? "");
  const frontMatter =
    end > 0 ? { yaml: all.slice(1, end).join("\n"), isClosed: true } : isOpen ? { yaml: "", isClosed: false } : null;
  const first = end > 0 ? end + 1 : 0;
  return { bytes, frontMatter, sections: sectionsOf(all.slice(first), first) };
}

/** @param before number of lines above */
function sectionsOf(all: readonly string[], before: number): ParsedSection[] {
  const sections: (ParsedSection & { readonly lines: string[] })[] = [
    { level: 0, heading: "", path: [], line: before + 1, lines: [] },
  ];
  let fence: string | undefined;
  let path: readonly { readonly level: number; readonly text: string }[] = [];
  all.forEach((line, i) => {
    fence = fenceAfter(fence, line);
    const match = fence === undefined ? HEADING.exec(line) : null;
    if (!match) {
      sections.at(-1)?.lines.push(line);
      return;
    }
    const level = match[1]?.length ?? 1;
    const heading = (match[2] ?? "").trim();
    path = [...path.filter((each) => each.level < level), { level, text: heading }];
    const names = path.filter((each) => each.level > 1).map((each) => each.text);
    sections.push({ level, heading, path: names, line: before + i + 1, lines: [] });
  });
  return sections;
}
