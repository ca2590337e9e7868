// Resident memory of each service over time. A service is its process with all descendants. Linux only.

import { readFileSync } from "node:fs";
import type { ServiceName } from "../../dev/stack/services/service.ts";
import type { Stack } from "../../dev/stack/stack.ts";
import { familyOf, identityOf } from "../../dev/stack/system/process-tree.ts";

const SAMPLE_MS = 60_000;

export function sampleMemory(stack: Stack): { stop(): void; table(): string } {
  const names = Object.keys(stack.info.pids).filter((name): name is ServiceName => name in stack.info.pids);
  const samples: number[][] = [];
  const sample = (): void => {
    samples.push(names.map((name) => residentMb(stack.info.pids[name])));
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      sample();
    },
    table() {
      const row = (cells: readonly string[]) => cells.map((cell) => cell.padStart(11)).join("");
      const lines = samples.map((values, minute) => row([String(minute), ...values.map(String)]));
      return [row(["minute", ...names]), ...lines].join("\n");
    },
  };
}

/** Private memory and a share of what processes share: the backends of Postgres map the same buffers. 0 when it is down. */
function residentMb(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const kilobytes = familyOf(identityOf(pid)).map((row) => {
      const [, size = "0"] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${row.pid}/smaps_rollup`, "utf8")) ?? [];
      return Number(size);
    });
    return Math.round(kilobytes.reduce((sum, size) => sum + size, 0) / 1_024);
  } catch {
    // It exited meanwhile.
    return 0;
  }
}
