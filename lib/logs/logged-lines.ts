// The lines of a description that quote a program. Pure functions, linear in the text.

import { isMachineLine } from "./written-line.ts";

const FENCE = /^\s{0,8}(?:`{3}|~{3})/;
/** In Markdown, the start of a heading, a quote or an item of a list; in a log, of a listing. */
const MARKUP = /^\s*(?:[-*+>|]|#{1,6}|\d{1,3}[.)])\s|^\s*\*\*/;
const QUOTED = /`([^`\n]{1,300})`/g;
const MIN_QUOTED_WORDS = 3;

/** What people wrote about a failure has its log in code blocks, on lines of their own, and in quotes. Null without any. */
export function loggedLines(description: string): string | null {
  let isFenced = false;
  const lines = description.split(/\r\n|\r|\n/).flatMap((line) => {
    if (FENCE.test(line)) {
      isFenced = !isFenced;
      return [];
    }
    if (isFenced || (isMachineLine(line) && !MARKUP.test(line))) return [line];
    return [...line.matchAll(QUOTED)].flatMap(([, quoted = ""]) =>
      quoted.trim().split(/\s+/).length >= MIN_QUOTED_WORDS ? [quoted] : [],
    );
  });
  const text = lines.join("\n");
  return text.trim() === "" ? null : text;
}
