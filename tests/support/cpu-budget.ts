// The CPU time that `npm test` may cost. A run that costs more fails: each second is paid for by every change.

import { createCpuByProgram, type Programs } from "./cpu-by-program.ts";
import { cpuTime } from "./cpu-time.ts";

/**
 * Seconds of a run of all tests on the reference machine, with its descendants, without the installation. A run costs 600 to
 * 830, by what else keeps the machine busy, which the piece of work does not show.
 */
export const CPU_BUDGET_S = 1_050;

/** Milliseconds of CPU that `workSample()` takes on the reference machine, two cores, while a run keeps both busy. */
const SAMPLE_REFERENCE_MS = 60;
const SAMPLE_EVERY_MS = 10_000;
/** Shorter than the life of the programs that cost most. */
const LOOK_EVERY_MS = 1_000;

export interface CpuUse {
  /** Seconds of this process and its descendants. */
  readonly used: number;
  /** The same on the reference machine. */
  readonly atReference: number;
  /** CPU time of a fixed piece of work here, as a multiple of the reference, at least 1. Above 1: a slower or busier machine. */
  readonly slowness: number;
  /** Without processes of less than a second. */
  readonly programs: Programs;
}

/**
 * Starts to measure. A busy machine needs more CPU time for the same work, since caches and cores are shared. So a fixed
 * piece of work is measured from time to time, and the use is divided by its median.
 * @returns a function that ends the measurement; its result is null where the system does not tell
 */
export function measureCpu(): () => CpuUse | null {
  const samples = [workSample()];
  const byProgram = createCpuByProgram(process.pid);
  const timers = [
    setInterval(() => samples.push(workSample()), SAMPLE_EVERY_MS),
    setInterval(byProgram.sample, LOOK_EVERY_MS),
  ];
  for (const timer of timers) timer.unref();
  return () => {
    timers.forEach(clearInterval);
    const time = cpuTime();
    if (time === null) return null;
    const used = time.own + time.children;
    // A machine that does this work faster than the reference does not do all other work as much faster.
    const slowness = Math.max(1, median(samples) / SAMPLE_REFERENCE_MS);
    return { used, atReference: used / slowness, slowness, programs: byProgram.programs() };
  };
}

/** Milliseconds of CPU for a fixed piece of work of the kind that tests do: objects, strings and hash tables. */
function workSample(): number {
  const before = process.cpuUsage();
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, text: `row ${(index * 7_919) % 10_007}` }));
  const counts = new Map<string, number>();
  for (const { text } of JSON.parse(JSON.stringify(rows)) as typeof rows)
    for (const word of text.split(" ")) counts.set(word, (counts.get(word) ?? 0) + 1);
  [...counts].sort(([a], [b]) => a.localeCompare(b));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
