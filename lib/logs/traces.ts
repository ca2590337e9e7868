// The outermost message and the root cause of a stack trace. Pure functions.

/** Lines between an exception and the end of its trace that are searched. */
const MAX_TRACE_LINES = 4_000;

const FRAME =
  /^\s+at\s|^\s*\.{3} \d+ (?:more|common)|^\s+File "|^\s+from \S+:\d+:in|^\s*#\d+ (?!ERROR|\d+\.\d+ )|^\s+\([\w ]+ [\w.-]+\) \S+:\d+:|^\s*--- End of |^\s*at async\s|^\s+Suppressed: |^\s*\d{1,3}\. .{1,400}@ 0x[\da-f]/;
const CAUSE = /^\s*(?:(?:│\s*)?Caused by: |---> |\[cause\]: )(?=\S)/;
/** The causes follow as a list. */
const CAUSES = /^\s*Caused by:\s*$/;
const ITEM = /^\s+\S/;
const SCRIPT_TRACE = /^\s*(?:\S+\s+\| )?Traceback \(/;
const SCRIPT_LINK = /^(?:During handling of the above|The above exception was the direct cause)/;
/** An announcement whose message is on the next line. */
const ANNOUNCES =
  /\bpanicked at \S+:$|\bfailed with:$|^terminate called after throwing an instance of\b|^thread '[^']{1,200}' panicked at \S+$/;

/** The name of an exception at the start of a line, with its message. Elixir writes `** (name) message`. */
const EXCEPTION =
  /^(?:\*\* \([\w .#<>]{1,80}\) \S|(?:[\w$]{1,80}(?:\.|::)){0,12}[A-Z]\w{0,80}(?:Error|Exception|Failure|Fault)\b(?: \([\w ]{1,40}\))?:? \S)/;

/** Whether the line names a place in code, and no failure. */
export function isFrame(line: string): boolean {
  return FRAME.test(line);
}

export function startsWithException(text: string): boolean {
  return EXCEPTION.test(text);
}

/** Whether the line ends with a colon, after which the message stands in the next line. */
export function announcesMessage(text: string): boolean {
  return text.endsWith(":") && ANNOUNCES.test(text);
}

export interface TraceMessages {
  /** Index of the line that the program reported. */
  readonly outer: number;
  /** Index of the innermost cause; null without one. */
  readonly root: number | null;
}

/** The trace that contains a line; a line outside of any trace is its own outermost message. */
export function traceAround(lines: readonly string[], at: number): TraceMessages {
  return scriptTrace(lines, at) ?? nestedTrace(lines, at) ?? { outer: at, root: null };
}

/** The index of the line that holds the message that a line announces. */
export function messageIndex(lines: readonly string[], at: number): number {
  if (!ANNOUNCES.test((lines[at] ?? "").trim())) return at;
  const next = lines.findIndex((line, i) => i > at && line.trim() !== "");
  return next === -1 || next > at + 2 ? at : next;
}

/** Exceptions above their frames, with causes below them. */
function nestedTrace(lines: readonly string[], at: number): TraceMessages | null {
  let outer = at;
  while (outer > Math.max(0, at - MAX_TRACE_LINES) && isInsideTrace(lines[outer] ?? "")) outer -= 1;
  outer = causesAbove(lines, outer) ?? outer;
  // A blank line parts a report from the list of its causes.
  if (outer !== at && (lines[outer] ?? "").trim() === "" && CAUSES.test(lines[outer + 1] ?? "")) outer -= 1;
  let root: number | null = null;
  const end = Math.min(lines.length, outer + MAX_TRACE_LINES);
  for (let i = outer + 1; i < end; i++) {
    const line = lines[i] ?? "";
    if (CAUSES.test(line)) return { outer, root: lastItem(lines, i) ?? root };
    if (CAUSE.test(line)) root = i;
    else if (!isInsideTrace(line) && !(line.trim() === "" && CAUSES.test(lines[i + 1] ?? ""))) break;
  }
  return outer === at && root === null ? null : { outer, root };
}

export function isInsideTrace(line: string): boolean {
  return FRAME.test(line) || CAUSE.test(line);
}

/** The index of the heading of the list of causes that an indented line is in. */
function causesAbove(lines: readonly string[], at: number): number | null {
  let heading = at;
  while (heading > 0 && ITEM.test(lines[heading] ?? "")) heading -= 1;
  return CAUSES.test(lines[heading] ?? "") ? Math.max(0, heading - 1) : null;
}

/** The last line of the indented list below a heading. */
function lastItem(lines: readonly string[], heading: number): number | null {
  let last: number | null = null;
  for (let i = heading + 1; i < lines.length && ITEM.test(lines[i] ?? ""); i++) last = i;
  return last;
}

/** Traces whose exception stands below the frames, the root cause first. */
function scriptTrace(lines: readonly string[], at: number): TraceMessages | null {
  const exceptions: number[] = [];
  let isLinked = false;
  let isInTrace = false;
  for (let i = Math.max(0, at - MAX_TRACE_LINES); i < Math.min(lines.length, at + MAX_TRACE_LINES); i++) {
    const line = lines[i] ?? "";
    if (SCRIPT_LINK.test(line)) isLinked = true;
    else if (SCRIPT_TRACE.test(line)) {
      if (!isLinked && exceptions.includes(at)) break;
      if (!isLinked) exceptions.length = 0;
      isInTrace = true;
      isLinked = false;
    } else if (isInTrace && /^\S/.test(line)) {
      exceptions.push(i);
      isInTrace = false;
    }
  }
  if (!exceptions.includes(at)) return null;
  const outer = exceptions.at(-1) ?? at;
  const root = exceptions[0] ?? at;
  return { outer, root: root === outer ? null : root };
}
