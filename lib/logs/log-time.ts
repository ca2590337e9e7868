// Timestamps and unique ids in log lines.

/** Matches every timestamp of a line. Global: use it with `match` or `replace`, since `test` would keep `lastIndex`. */
export const TIMESTAMP =
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?\b|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g;
/** Matches every UUID and every hexadecimal id of 12 to 64 digits in a line. Global, as TIMESTAMP. */
export const UNIQUE_IDS = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12,64}\b/gi;

/** Characters at the start of a line that are searched for its time. */
const TIME_SCAN_LENGTH = 160;
const TIME =
  /\b\d{4}[-/.]\d{2}[-/.]\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?|\b\d{1,2}\/(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\/\d{4}:\d{2}:\d{2}:\d{2}(?: [+-]\d{4})?|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?:,? \d{4})?,? \d{2}:\d{2}:\d{2}(?:\.\d+)?(?: \d{4}\b)?|\b\d{1,2}([ -])(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\1\d{4} \d{2}:\d{2}:\d{2}(?:\.\d+)?|(?<=^[IWEF])\d{4,6} \d{2}:\d{2}:\d{2}\.\d+|(?<=^\[ {0,8})\d{1,9}\.\d{6}(?=\])|(?<=(?:ts|time|TIMESTAMP|timestamp)"?[:=] ?"?)\d{10}(?:\.\d{1,9}|\d{3}|\d{6})?(?!\d)|\b\d{2}[./]\d{2}[./](?:20)?\d{2},? \d{2}:\d{2}:\d{2}\b|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/;

/** A field of JSON that holds the time, anywhere in a line. */
const TIME_FIELD =
  /"(?:@?timestamp|time|ts|date|[a-z]{1,20}Time(?:stamp)?|[a-z]{1,20}At)": ?"?(\d{10}(?:\d{3}|\d{6})?(?!\d)|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?)/;
const MAX_FIELDS_LENGTH = 4_000;
/** A listing may have the time in its last column. */
const LAST_COLUMN_LENGTH = 40;

/** The time of a line as the log writes it; null without one. */
export function timeOf(line: string): string | null {
  return (
    TIME.exec(line.slice(0, TIME_SCAN_LENGTH))?.[0] ??
    TIME_FIELD.exec(line.slice(0, MAX_FIELDS_LENGTH))?.[1] ??
    (line.length > TIME_SCAN_LENGTH ? TIME.exec(line.slice(-LAST_COLUMN_LENGTH))?.[0] : null) ??
    null
  );
}

/** Milliseconds of a time as logs write it, in UTC without a zone; NaN for one without a full date. */
export function instantOf(time: string): number {
  if (/^\d{10,16}(?:\.\d+)?$/.test(time)) return Number(time.replace(".", "").slice(0, 13).padEnd(13, "0"));
  const date = time
    .replace(/^(\d{4})[-/.](\d{2})[-/.](\d{2})[T ]/, "$1-$2-$3T")
    .replace(/^(\d{2})\.(\d{2})\.(\d{4}),? /, "$3-$2-$1T")
    .replace(/^(1[3-9]|2\d|3[01])\/(\d{2})\/(\d{4}),? /, "$3-$2-$1T")
    .replace(/^(\d{2})\/(\d{2})\/(\d{2}) /, "20$1-$2-$3T")
    .replace(/^(\d{1,2})[/-]([A-Z][a-z]{2})[/-](\d{4})[: ]/, "$1 $2 $3 ")
    .replace(/(?<=:\d{2}),/, ".")
    .replace(/(\.\d{3})\d+/, "$1")
    .replace(/ ?(?:UTC|GMT)$/, "Z")
    .replace(/ (?=[+-]\d{2}:?\d{2}$)/, "");
  if (!/(?<!\d)\d{4}(?!\d)/.test(date.slice(0, 20))) return Number.NaN;
  const isZoned = /(?:Z|\d{2}[+-]\d{2}:?\d{2}|\s[+-]\d{4})$/.test(date);
  return Date.parse(isZoned ? date : date.includes("T") ? `${date}Z` : `${date} UTC`);
}

/** The line without timestamps and unique ids, for texts in which equal failures must be equal. */
export function withoutUniqueParts(line: string): string {
  return line.replace(TIMESTAMP, "").replace(UNIQUE_IDS, "").replace(/\s+/g, " ").trim();
}
