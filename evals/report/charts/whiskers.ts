// Whiskers of a chart: a line from the lowest to the highest value with a cap at each end.

import type { CustomSeriesOption } from "echarts/charts";
import { COLORS } from "./chart.ts";

/** Half the width of a cap, in pixels. */
const CAP = 4;

export interface Whisker {
  /** Position on the horizontal axis: a value or the index of a category. */
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

export function whiskers(data: readonly Whisker[]): CustomSeriesOption {
  return {
    type: "custom",
    silent: true,
    data: data.map(({ x, low, high }) => [x, low, high]),
    renderItem: (_, api) => {
      const [x = 0, bottom = 0] = api.coord([api.value(0), api.value(1)]);
      const [, top = 0] = api.coord([api.value(0), api.value(2)]);
      return {
        type: "path",
        shape: { pathData: `M${x - CAP} ${top}H${x + CAP}M${x} ${top}V${bottom}M${x - CAP} ${bottom}H${x + CAP}` },
        style: { stroke: COLORS.data, lineWidth: 1.5, fill: "none" },
      };
    },
  };
}
