// Owns how a text on record is read as a whole: as it was stored, or put together from its chunks again. Pure.

import type { SourceDetail } from "./source-records.ts";

/** What stands between the headings of a chunk's path. */
const PATH_SEPARATOR = " › ";

/** Markdown where the text is Markdown. */
export function wholeText({ title, text, sections }: Pick<SourceDetail, "title" | "text" | "sections">): string {
  if (text !== null) return text;
  const parts = [`# ${title}`];
  let above: readonly string[] = [];
  let before: string | null = null;
  for (const section of sections) {
    const path = section.heading === "" ? [] : section.heading.split(PATH_SEPARATOR);
    const known = path.findIndex((heading, level) => heading !== above[level]);
    const isContinued = before !== null && known < 0 && path.length === above.length;
    for (const [level, heading] of path.entries())
      if (known >= 0 && level >= known) parts.push(`${"#".repeat(level + 2)} ${heading}`);
    const body = isContinued ? withoutRepeat(before ?? "", section.text) : section.text;
    // A heading with nothing below it is a section that says what the heading says.
    if (body !== "" && body !== path.at(-1)) parts.push(body);
    above = path;
    before = section.text;
  }
  return `${parts.join("\n\n")}\n`;
}

/** A chunk may begin with the last words of the one before: they are said once. */
function withoutRepeat(before: string, body: string): string {
  const wordEnds = [...body.matchAll(/\S(?=\s|$)/g)].map(({ index }) => index + 1);
  // Longest first. Fewer words may stand at an end and at a beginning by chance.
  for (const end of wordEnds.slice(LEAST_REPEAT - 1).reverse()) {
    const start = before.length - end;
    const isWhole = start === 0 || (start > 0 && /\s/.test(before[start - 1] ?? ""));
    if (isWhole && before.endsWith(body.slice(0, end))) return body.slice(end).trimStart();
  }
  return body;
}

/** Words. */
const LEAST_REPEAT = 3;
