// Numbers of lines in the log that was cut to a shorter one. Pure functions, linear in the log.

import type { ReadEvidence } from "./evidence.ts";

const MARKER = /^… \[([\d,]{1,15}) lines? left out\]$/;

/** The number of a line of a fitted log in the whole log, both from 1. A marker has the number of the first line that it replaces. */
export function originalLines(log: string): (line: number) => number {
  if (!log.includes(" left out]")) return (line) => line;
  const shifts: { readonly after: number; readonly by: number }[] = [];
  for (const [at, line] of log.split("\n").entries()) {
    const count = MARKER.exec(line.trimEnd())?.[1];
    if (count !== undefined)
      shifts.push({ after: at + 1, by: (shifts.at(-1)?.by ?? 0) + Number(count.replaceAll(",", "")) - 1 });
  }
  return (line) => line + (shifts.findLast(({ after }) => after < line)?.by ?? 0);
}

/** The evidence with the line numbers of the whole log. @param log from which it was read */
export function withOriginalLines(evidence: ReadEvidence, log: string): ReadEvidence {
  const { lines, state } = evidence;
  const original = originalLines(log);
  return {
    ...evidence,
    lines: lines.map((line) => ({ ...line, line: original(line.line) })),
    state: state && { ...state, line: state.line === null ? null : original(state.line) },
  };
}
