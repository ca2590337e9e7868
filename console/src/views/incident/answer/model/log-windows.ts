// The lines of a log around those that show the failure. Pure functions.

import type { Evidence } from "../../../../../../functions/schemas/answer.ts";
import { originalLines } from "../../../../../../lib/logs/original-lines.ts";

export interface LogLine {
  /** In the whole log, from 1. */
  readonly number: number;
  readonly text: string;
  /** Lines of the log that say the same; null if the line shows no failure. */
  readonly count: number | null;
}

export type LogPart =
  | { readonly kind: "lines"; readonly lines: readonly LogLine[] }
  /** Lines that are left out. */
  | { readonly kind: "gap"; readonly count: number };

/** Lines before and after a marked one. */
const AROUND = 2;

/** A level that is no failure, before the message. */
const QUIET_LEVEL = /^[^a-z]*\b(?:INFO|DEBUG|TRACE)\b/;

/** @param isHealthy the evidence shows that the system works, whatever its level */
export function logLines(logs: string, evidence: readonly Evidence[], isHealthy = false): LogLine[] {
  const placed = evidence.filter(({ place }) => place !== null);
  const loud = placed.filter(({ quote }) => !QUIET_LEVEL.test(quote ?? ""));
  // A failure may be reported at a low level: such lines are marked where no other is.
  const marked = isHealthy || loud.length === 0 ? placed : loud;
  const counts = new Map(marked.flatMap(({ place }) => (place === null ? [] : [[place.line, place.count] as const])));
  const lines = logs.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  const original = originalLines(logs);
  return lines.map((text, i) => ({ number: original(i + 1), text, count: counts.get(original(i + 1)) ?? null }));
}

/** The marked lines with their neighbours, and gaps between them. One left-out line is no gap: it takes as much room. */
export function logWindows(lines: readonly LogLine[]): LogPart[] {
  const marked = lines.filter(({ count }) => count !== null).map(({ number }) => number);
  const near = lines.map(({ number }) => marked.some((each) => Math.abs(each - number) <= AROUND));
  const shown = near.map((isNear, i) => isNear || ((near[i - 1] ?? i === 0) && (near[i + 1] ?? true)));
  const parts: LogPart[] = [];
  for (const [i, line] of lines.entries()) {
    const last = parts.at(-1);
    if (shown[i]) {
      if (last?.kind === "lines") parts[parts.length - 1] = { kind: "lines", lines: [...last.lines, line] };
      else parts.push({ kind: "lines", lines: [line] });
    } else if (last?.kind === "gap") parts[parts.length - 1] = { kind: "gap", count: last.count + 1 };
    else parts.push({ kind: "gap", count: 1 });
  }
  return parts;
}
