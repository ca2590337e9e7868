// Line chart of one metric over runs.

import { share } from "../shared/format.ts";
import { AXIS, type ChartOption, COLORS, type Drawing, FONT_SIZE, runAxis } from "./chart.ts";
import { whiskers } from "./whiskers.ts";

export interface TrendPoint {
  /** Day or time of the run. */
  readonly label: string;
  /** Null when the run does not have the metric. */
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  /** Whether the metric covers the same cases as in the newest run. */
  readonly isComparable: boolean;
}

const SIZE = { width: 300, height: 136 };

/**
 * A line over the runs with whiskers and a dashed reference line. Hollow dots are runs with other cases.
 *
 * @param name unique in the page
 * @param floor start of the vertical axis, which ends at 1
 */
export function trendChart(
  name: string,
  points: readonly TrendPoint[],
  { floor, reference }: { readonly floor: number; readonly reference: number | null },
): Drawing {
  const lastMeasured = points.findLastIndex(({ value }) => value !== null);
  const option: ChartOption = {
    grid: { left: 40, right: 42, top: 10, bottom: 26 },
    xAxis: runAxis(
      points.map(({ label }) => label),
      12,
    ),
    yAxis: { ...AXIS, type: "value", min: floor, max: 1, interval: (1 - floor) / 2 },
    series: [
      ...(reference === null ? [] : [referenceLine(points.map(() => reference))]),
      whiskers(points.flatMap(({ value, low, high }, x) => (value === null || low === high ? [] : [{ x, low, high }]))),
      {
        type: "line",
        silent: true,
        connectNulls: true,
        symbol: "circle",
        symbolSize: 7,
        lineStyle: { color: COLORS.data, width: 2 },
        data: points.map(({ value, isComparable }, index) => ({
          value,
          itemStyle: { color: isComparable ? COLORS.data : COLORS.paper, borderColor: COLORS.data, borderWidth: 1.5 },
          label: {
            show: index === lastMeasured,
            position: "right",
            distance: 8,
            formatter: share(value ?? 0, 2),
            color: COLORS.ink,
            fontSize: FONT_SIZE,
            fontWeight: 600,
          },
        })),
      },
    ],
  };
  return { name, ...SIZE, option };
}

function referenceLine(data: number[]) {
  return {
    type: "line" as const,
    silent: true,
    showSymbol: false,
    lineStyle: { color: COLORS.alert, width: 1.5, type: "dashed" as const },
    data,
  };
}
