// Table of the times in a small and in a large store, with their ratios.

import { renderTable } from "../../cli/table.ts";
import type { Timings } from "../support/timings.ts";

/** @param rows name of a row and of its samples, which begin with `small ` or `large `; a row without samples is left out */
export function renderGrowth(
  title: string,
  sizes: readonly [small: string, large: string],
  timings: Timings,
  rows: readonly (readonly [name: string, samples: string])[],
): string {
  const header = [title, "p50 ms", "", "ratio", "p95 ms", "", "ratio"];
  const body = rows.flatMap(([name, samples]) => {
    const figures = [0.5, 0.95].flatMap((share) => {
      const small = timings.quantile(`small ${samples}`, share);
      const large = timings.quantile(`large ${samples}`, share);
      const areBoth = Number.isFinite(small) && Number.isFinite(large);
      return areBoth ? [small.toFixed(1), large.toFixed(1), (large / small).toFixed(2)] : [];
    });
    return figures.length === 0 ? [] : [[name, ...figures]];
  });
  return renderTable(header, [["", ...sizes, "", ...sizes, ""], ...body], { width: 130, color: false });
}
