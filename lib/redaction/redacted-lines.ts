// The lines of a text that redaction changed, without the removed words.

const MARKERS = /\[REDACTED_(\w{1,40})\]/g;

export interface RedactedLine {
  /** Number of the line in the text before, from 1. */
  readonly line: number;
  /** Names in the new markers, such as EMAIL; each once. */
  readonly kinds: readonly string[];
}

/**
 * Compares a text with its redaction line by line. A marker may stand for several lines, such as those of a private key:
 * it is reported at the first of them.
 */
export function redactedLines(before: string, after: string): RedactedLine[] {
  if (before === after) return [];
  const original = before.split("\n");
  const redacted = after.split("\n");
  const lines: RedactedLine[] = [];
  let at = 0;
  redacted.forEach((line, i) => {
    if (at >= original.length || line === original[at]) {
      at += 1;
      return;
    }
    const kinds = newMarkers(original[at] ?? "", line);
    if (kinds.length > 0) lines.push({ line: at + 1, kinds });
    at = lineAfter(original, at, { next: redacted[i + 1], left: redacted.length - i - 1 });
  });
  return lines;
}

/** Markers that the line before does not hold. */
function newMarkers(before: string, after: string): string[] {
  const kept = new Set(Array.from(before.matchAll(MARKERS), ([, kind = ""]) => kind));
  const kinds = Array.from(after.matchAll(MARKERS), ([, kind = ""]) => kind);
  return [...new Set(kinds)].filter((kind) => !kept.has(kind) || before === "");
}

/** Where the original goes on: the next line, unless more lines were removed than are left. */
function lineAfter(
  original: readonly string[],
  at: number,
  { next, left }: { readonly next: string | undefined; readonly left: number },
): number {
  const surplus = original.length - at - 1 - left;
  if (surplus <= 0 || next === undefined) return at + 1;
  const continued = original.slice(at + 1, at + 2 + surplus).indexOf(next);
  return continued === -1 ? at + 1 : at + 1 + continued;
}
