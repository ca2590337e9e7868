// CPU time of a run by program, from Linux's /proc.

import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { cpuTime, readProcessFile } from "./cpu-time.ts";

/** Seconds of each program, the dearest first. */
export type Programs = readonly (readonly [program: string, seconds: number])[];

interface Measured {
  readonly program: string;
  readonly seconds: number;
}

/**
 * Measures the descendants of a process. Call `sample` often: what a process does after its last sample is in no figure.
 * @param rootPid counts itself
 */
export function createCpuByProgram(rootPid: number): { sample(): void; programs(): Programs } {
  const measured = new Map<number, Measured>();
  return {
    sample() {
      for (const pid of descendants(rootPid)) {
        const time = cpuTime(pid);
        const program = programOf(pid);
        if (time !== null && program !== null) measured.set(pid, { program, seconds: time.own });
      }
    },
    programs: () =>
      [...Map.groupBy(measured.values(), ({ program }) => program)]
        .map(([program, each]) => [program, each.reduce((sum, { seconds }) => sum + seconds, 0)] as const)
        .sort(([, a], [, b]) => b - a),
  };
}

function descendants(rootPid: number): number[] {
  const pids = entries("/proc").map(Number).filter(Number.isInteger);
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
  const isDescendant = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === rootPid || isDescendant(parents.get(pid)));
  return pids.filter(isDescendant);
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // No Linux.
  }
}

function parentOf(pid: number): number | undefined {
  const parent = /\) \S (\d+)/.exec(readProcessFile(pid, "stat") ?? "")?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** The script that Node runs, or the program: `chroma.ts`, `postgres`. Null if the process has ended. */
function programOf(pid: number): string | null {
  // Some programs replace their arguments by one text.
  const [program = "", ...words] = (readProcessFile(pid, "cmdline") ?? "").split(/[\0 ]/);
  const script =
    basename(program) === "node"
      ? words.find((word, i) => /^[^-].*\//.test(word) && words[i - 1] !== "--require")
      : undefined;
  return program === "" ? null : basename(script ?? program).replace(/:$/, "");
}
