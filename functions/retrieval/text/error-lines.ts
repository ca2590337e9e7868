// Owns what of a log is worth searching for: the lines that report a failure, without what differs every time.

/** Lines taken at most; the last ones, since a log ends with what went wrong. */
const MAX_LINES = 4;
/** Characters of a line that count; longer lines are dumps. */
const MAX_LINE_LENGTH = 240;
/** Characters of a log that are looked at, from its end. */
const MAX_SCAN_LENGTH = 200_000;

const FAILURE_WORDS =
  /\b(error|err|fatal|panic|fail(?:ed|ure)?|exception|denied|refused|timed? ?out|timeout|cannot|could not|unable|killed|oom\w*|exit(?:ed)?|no space|not found|unhealthy|evicted|unauthori[sz]ed|forbidden|deadlock|abort(?:ed)?|unreachable|corrupt\w*|reset by peer)\b|back-?off\b/i;
// Names of failures: TypeError, NullPointerException, ERR_CONN_RESET, ECONNREFUSED.
const FAILURE_NAMES =
  /[a-z](?:Error|Exception)\b|\bERR_[A-Z]|\bE(?:CONN[A-Z]+|TIMEDOUT|NOTFOUND|AI_AGAIN|ACCES|PERM|NOSPC|[MN]FILE|ADDRINUSE|HOSTUNREACH|NETUNREACH|PIPE|NOENT|ROFS|DQUOT|BUSY|IO)\b/;
/** Every time stamp in a line; global. */
export const TIMESTAMP =
  /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?\b|\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g;
/** Every UUID and every long hexadecimal id in a line; global. */
export const UNIQUE_IDS = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{12,64}\b/gi;

/** The distinct failure lines nearest to the end of a log, oldest first, without time stamps and unique ids. */
export function errorLines(logs: string): string[] {
  const lines = logs.slice(-MAX_SCAN_LENGTH).split(/\r?\n/);
  const found = new Set<string>();
  for (let i = lines.length - 1; i >= 0 && found.size < MAX_LINES; i--) {
    const line = lines[i] ?? "";
    if (!isErrorLine(line)) continue;
    const head = line.slice(0, MAX_LINE_LENGTH);
    found.add(head.replace(TIMESTAMP, "").replace(UNIQUE_IDS, "").replace(/\s+/g, " ").trim());
  }
  return [...found].reverse();
}

/** Whether a line reports a failure, by its first 240 characters. */
export function isErrorLine(line: string): boolean {
  const head = line.slice(0, MAX_LINE_LENGTH);
  return FAILURE_WORDS.test(head) || FAILURE_NAMES.test(head);
}
