// Foreign text within Markdown that Dejavu writes. Pure functions, linear in the text.

import { displayText } from "../text/display-text.ts";

const CODE_SPAN = /((?<!`)`[^`]+`(?!`))/;
/** A block may begin here: a heading, a quote, a list, a break or a fence. */
const BLOCK_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|[-_*=~]{3})/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/** One line that begins no block and holds neither links, images nor tags. Code spans and emphasis stay. */
export function foreignLine(text: string): string {
  return oneLine(text)
    .split(CODE_SPAN)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/[[\]<`\\]/g, "\\$&")))
    .join("")
    .replace(BLOCK_START, "\\$&")
    .replace(NUMBERED, "$1\\$2");
}

/** One line, shown as it is. */
export function codeSpan(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  return displayText(text).replace(/\s+/g, " ").trim();
}
