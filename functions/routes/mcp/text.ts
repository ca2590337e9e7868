// Text formats for models. Pure functions.

/** Joins the non-empty parts with blank lines. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** A titled list; empty without lines. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`;
}

/** Indents text below a list item. */
export function indented(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}

/** A code block with a fence that the text cannot close. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
