// Collects durations by name and prints their median and 95th percentile.

export interface Timings {
  time<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Adds a duration in milliseconds that the caller measured. */
  add(name: string, durationMs: number): void;
  /** Median in milliseconds; NaN without samples of that name. */
  p50(name: string): number;
  /** In milliseconds. @param share 0 to 1, such as 0.99 */
  quantile(name: string, share: number): number;
  names(): string[];
  /** Drops all samples, those of the warm-up. */
  reset(): void;
  print(): void;
}

export function createTimings(): Timings {
  const samples = new Map<string, number[]>();
  const quantile = (name: string, share: number): number => {
    const sorted = (samples.get(name) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  };
  const add = (name: string, durationMs: number) => {
    samples.set(name, [...(samples.get(name) ?? []), durationMs]);
  };
  return {
    async time(name, work) {
      const started = performance.now();
      const result = await work();
      add(name, performance.now() - started);
      return result;
    },
    add,
    p50: (name) => quantile(name, 0.5),
    quantile,
    names: () => [...samples.keys()],
    reset: () => samples.clear(),
    print() {
      console.log(`\n${"".padEnd(28)} ${"p50 ms".padStart(8)} ${"p95 ms".padStart(8)}`);
      for (const name of samples.keys()) {
        console.log(
          `${name.padEnd(28)} ${quantile(name, 0.5).toFixed(1).padStart(8)} ${quantile(name, 0.95).toFixed(1).padStart(8)}`,
        );
      }
    },
  };
}
