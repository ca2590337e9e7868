// Owns the few forms that a text for a model takes. Pure.

/** Those that say something, with an empty line in between. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Empty where there are no lines. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}`;
}

/** Below a list's item. */
export function indented(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}

/** With a fence that the text cannot close. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
