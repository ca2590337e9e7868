// Markdown code fences, line by line.

/** A backtick fence has no further backticks on its line: those would be inline code. */
export const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;

/** The language of a fence in whose place a page shows something else: a picture, a list, another file. */
export const DRAWN_LANGUAGE =
  /^(?:contents|dataview(?:js)?|figure|graphviz|image|include|index|literalinclude|mermaid|plantuml|raw|toctree)$/;

/** Whether a block is code. */
export function isFenced(block: string): boolean {
  return FENCE.test(block.split("\n", 1)[0] ?? "");
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
