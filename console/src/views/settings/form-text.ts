// Lists and pairs as people type them. Pure functions.

/** `kubernetes, checkout-team` */
export function wordsOf(text: string): string[] {
  return text.split(/[,\s]+/).filter((word) => word !== "");
}

/** Lines that are not empty, trimmed. */
export function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

/** One `name=value` a line. A line without `=` is a name with an empty value. */
export function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf("=");
      return at === -1 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** One `label=value` a line, several values with `|`: `cluster=eu|us`. */
export function labelsOf(text: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(pairsOf(text)).map(([name, values]) => [
      name,
      values
        .split("|")
        .map((value) => value.trim())
        .filter((value) => value !== ""),
    ]),
  );
}

/** The text that `pairsOf` reads. */
export function pairsText(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** The text that `labelsOf` reads. */
export function labelsText(labels: Readonly<Record<string, readonly string[]>>): string {
  return pairsText(Object.fromEntries(Object.entries(labels).map(([name, values]) => [name, values.join("|")])));
}
