// Timestamps and unique ids in log lines.

/** Matches every timestamp of a line. Global: use it with `match` or `replace`, since `test` would keep `lastIndex`. */
export const TIMESTAMP =
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?\b|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g;
/** Matches every UUID and every hexadecimal id of 12 to 64 digits in a line. Global, as TIMESTAMP. */
export const UNIQUE_IDS = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12,64}\b/gi;

/** Characters at the start of a line that are searched for its time. */
const TIME_SCAN_LENGTH = 160;
const TIME =
  /\b\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?|\b\d{1,2}\/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\/\d{4}:\d{2}:\d{2}:\d{2}(?: [+-]\d{4})?|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?:,? \d{4})?,? \d{2}:\d{2}:\d{2}(?:\.\d+)?|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)?|(?<=^[IWEF])\d{4} \d{2}:\d{2}:\d{2}\.\d+|(?<=^\[ {0,8})\d{1,9}\.\d{6}(?=\])|(?<="?(?:ts|time|timestamp)"?[:=]"?)\d{10}(?:\.?\d+)?|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/;

/** The time of a line as the log writes it; null without one. */
export function timeOf(line: string): string | null {
  return TIME.exec(line.slice(0, TIME_SCAN_LENGTH))?.[0] ?? null;
}

/** The line without timestamps and unique ids, for texts in which equal failures must be equal. */
export function withoutUniqueParts(line: string): string {
  return line.replace(TIMESTAMP, "").replace(UNIQUE_IDS, "").replace(/\s+/g, " ").trim();
}
