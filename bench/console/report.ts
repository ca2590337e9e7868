// The times and files of several loads as text.

import type { PageLoad } from "./page-load.ts";

const FIGURES = [
  ["first contentful paint", "firstContentfulPaint"],
  ["largest contentful paint", "largestContentfulPaint"],
  ["first incident in the page", "listShown"],
] as const;

/** Medians, and the slowest load of each. */
export function describeLoads(loads: readonly PageLoad[]): string {
  const times = FIGURES.map(([name, key]) => {
    const sorted = loads.map((load) => load[key]).toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    return `${name.padEnd(30)} ${inMs(median)} (slowest ${inMs(sorted.at(-1) ?? Number.NaN).trim()})`;
  });
  const shift = Math.max(...loads.map(({ layoutShift }) => layoutShift));
  const [load] = loads.toSorted((a, b) => a.listShown - b.listShown).slice(Math.floor(loads.length / 2));
  const files = load?.files.toSorted((a, b) => a.startedAt - b.startedAt) ?? [];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    ...times,
    `${"largest layout shift of all".padEnd(30)} ${shift.toFixed(4).padStart(8)}`,
    `${"transferred".padEnd(30)} ${inKb(total)}`,
    ...files.map(
      ({ path, bytes, startedAt, endedAt }) =>
        `  ${path.padEnd(60)} ${inKb(bytes)} ${inMs(startedAt)} to ${inMs(endedAt)}`,
    ),
  ].join("\n");
}

function inMs(ms: number): string {
  return `${ms.toFixed(0).padStart(5)} ms`;
}

function inKb(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1).padStart(6)} kB`;
}
