// Error lines of a log, without timestamps and unique ids: input for search terms, summaries and extractive answers.

/** Number of error lines, counted from the end: a log usually ends with the failure. */
const MAX_LINES = 4;
/** Lines of a short log. */
const MAX_SHORT_LOG = 10;
/** Characters of a line that are read. A longer line is usually a data dump. */
const MAX_LINE_LENGTH = 240;
/** Characters at the end of a log that are read. */
const MAX_SCAN_LENGTH = 200_000;

const ERROR_WORDS =
  /\b(error|err|fatal|panic|fail(?:ed|ure)?|exception|denied|refused|timed? ?out|timeout|cannot|could not|unable|killed|oom\w*|exit(?:ed)?|no space|not found|unhealthy|evicted|unauthori[sz]ed|forbidden|deadlock|abort(?:ed)?|unreachable|corrupt\w*|reset by peer)\b|back-?off\b/i;
// Error names: TypeError, NullPointerException, ERR_CONN_RESET, ECONNREFUSED.
const ERROR_NAMES =
  /[a-z](?:Error|Exception)\b|\bERR_[A-Z]|\bE(?:CONN[A-Z]+|TIMEDOUT|NOTFOUND|AI_AGAIN|ACCES|PERM|NOSPC|[MN]FILE|ADDRINUSE|HOSTUNREACH|NETUNREACH|PIPE|NOENT|ROFS|DQUOT|BUSY|IO)\b/;
/** Matches every timestamp of a line. Global: use it with `match` or `replace`, since `test` would keep `lastIndex`. */
export const TIMESTAMP =
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?\b|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g;
/** Matches every UUID and every hexadecimal id of 12 to 64 digits in a line. Global, as TIMESTAMP. */
export const UNIQUE_IDS = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12,64}\b/gi;

/** Returns the last four distinct error lines of a log, oldest first, without timestamps and unique ids. */
export function errorLines(logs: string): string[] {
  const lines = logs.slice(-MAX_SCAN_LENGTH).split(/\r?\n/);
  const distinct = new Set<string>();
  for (let i = lines.length - 1; i >= 0 && distinct.size < MAX_LINES; i--) {
    const line = lines[i] ?? "";
    if (!isErrorLine(line)) continue;
    distinct.add(withoutUniqueParts(line));
  }
  return [...distinct].reverse();
}

/** The lines to search for: all of a short log, since somebody chose them, and the error lines of a long one. */
export function searchLines(logs: string): string[] {
  const lines = logs
    .slice(-MAX_SCAN_LENGTH)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  return lines.length <= MAX_SHORT_LOG ? [...new Set(lines.map(withoutUniqueParts))] : errorLines(logs);
}

function withoutUniqueParts(line: string): string {
  const head = line.slice(0, MAX_LINE_LENGTH);
  return head.replace(TIMESTAMP, "").replace(UNIQUE_IDS, "").replace(/\s+/g, " ").trim();
}

/** Whether the first 240 characters of a line hold an error word or an error name. */
export function isErrorLine(line: string): boolean {
  const head = line.slice(0, MAX_LINE_LENGTH);
  return ERROR_WORDS.test(head) || ERROR_NAMES.test(head);
}
