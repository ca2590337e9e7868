// CPU time of processes, from Linux's /proc.

import { readFileSync } from "node:fs";

/** The kernel reports in this unit on every architecture. */
const TICKS_PER_SECOND = 100;
/** Positions after the program's name, which stands in parentheses: utime, stime, cutime, cstime of proc(5). */
const OWN = [11, 12] as const;
const CHILDREN = [13, 14] as const;

export interface CpuTime {
  /** Seconds of this process. */
  readonly own: number;
  /** Seconds of its descendants that have ended and were waited for. */
  readonly children: number;
}

/** Returns null where there is no /proc, and for a process that has ended. */
export function cpuTime(pid: number | "self" = "self"): CpuTime | null {
  const stat = readProcessFile(pid, "stat");
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const seconds = (positions: readonly number[]) =>
    positions.reduce((sum, position) => sum + Number(fields[position]), 0) / TICKS_PER_SECOND;
  return { own: seconds(OWN), children: seconds(CHILDREN) };
}

export function readProcessFile(pid: number | "self", name: "stat" | "cmdline"): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return null;
  }
}
