// Charts of response times: of one run by category, and over runs.

import type { Trial } from "../../runs/run-file.ts";
import type { Latency } from "../../statistics/latency.ts";
import { duration } from "../shared/format.ts";
import { AXIS, type ChartOption, COLORS, type Drawing, FONT_SIZE, runAxis } from "./chart.ts";

export interface LatencyRow {
  readonly label: string;
  readonly trials: readonly Trial[];
  readonly latency: Latency;
}

/** Height of one category, in pixels. */
const ROW_HEIGHT = 46;
/** Height of the band over which dots are spread, so that dots with equal times do not overlap; in pixels. */
const JITTER = 14;
const GOLDEN_RATIO = 0.618034;

/** For each category a bar from the median to the 90th percentile, a whisker to the 99th, and a dot for each trial. */
export function latencyByCategoryChart(name: string, rows: readonly LatencyRow[], width: number): Drawing {
  const times = rows.flatMap(({ trials }) => trials.map(({ elapsedMs }) => elapsedMs));
  const option: ChartOption = {
    grid: { left: 84, right: 20, top: 8, bottom: 28 },
    xAxis: timeAxis(times),
    yAxis: {
      ...AXIS,
      type: "category",
      inverse: true,
      data: rows.map(({ label }) => label),
      splitLine: { show: false },
      axisLabel: { ...AXIS.axisLabel, color: COLORS.ink },
    },
    series: [
      {
        type: "scatter",
        silent: true,
        data: rows.flatMap(({ trials }, row) =>
          trials.map(({ elapsedMs, status }, i) => ({
            value: [atLeastOne(elapsedMs), row],
            symbol: status === "timed_out" ? "triangle" : "circle",
            symbolSize: status === "timed_out" ? 9 : 5,
            symbolOffset: [0, 10 + (((i * GOLDEN_RATIO) % 1) - 0.5) * JITTER],
            itemStyle:
              status === "timed_out" ? { color: COLORS.alert, opacity: 1 } : { color: COLORS.data, opacity: 0.5 },
          })),
        ),
      },
      {
        type: "custom",
        silent: true,
        data: rows.map(({ latency }, row) => [
          row,
          atLeastOne(latency.p50),
          atLeastOne(latency.p90),
          atLeastOne(latency.p99),
        ]),
        renderItem: (_, api) => {
          const [p50 = 0, middle = 0] = api.coord([api.value(1), api.value(0)]);
          const [p90 = 0] = api.coord([api.value(2), api.value(0)]);
          const [p99 = 0] = api.coord([api.value(3), api.value(0)]);
          const y = middle - 9;
          return {
            type: "group",
            children: [
              {
                type: "rect",
                shape: { x: p50, y: y - 4, width: Math.max(1, p90 - p50), height: 8 },
                style: { fill: COLORS.data, opacity: 0.35 },
              },
              {
                type: "path",
                shape: { pathData: `M${p90} ${y}H${p99}M${p99} ${y - 4}V${y + 4}` },
                style: { stroke: COLORS.data, lineWidth: 1.5, fill: "none" },
              },
              {
                type: "path",
                shape: { pathData: `M${p50} ${y - 7}V${y + 7}` },
                style: { stroke: COLORS.ink, lineWidth: 3, fill: "none" },
              },
            ],
          };
        },
        encode: { x: [1, 2, 3], y: 0 },
      },
    ],
  };
  return { name, width, height: rows.length * ROW_HEIGHT + 40, option };
}

export interface LatencyPoint {
  readonly label: string;
  readonly latency: Latency | null;
}

const QUANTILES = [
  ["p99", "dotted"],
  ["p90", "dashed"],
  ["p50", "solid"],
] as const;

/** Three lines over the runs, distinguished by stroke and label. */
export function latencyOverRunsChart(name: string, points: readonly LatencyPoint[], width: number): Drawing {
  const lastMeasured = points.findLastIndex(({ latency }) => latency !== null);
  const times = points.flatMap(({ latency }) => (latency ? [latency.p50, latency.p99] : []));
  const option: ChartOption = {
    grid: { left: 56, right: 92, top: 12, bottom: 24 },
    xAxis: runAxis(points.map(({ label }) => label)),
    yAxis: timeAxis(times),
    series: QUANTILES.map(([quantile, stroke]) => ({
      type: "line",
      silent: true,
      connectNulls: true,
      symbol: "circle",
      symbolSize: 6,
      itemStyle: { color: COLORS.data },
      lineStyle: { color: COLORS.data, width: 2, type: stroke },
      labelLayout: { moveOverlap: "shiftY" },
      data: points.map(({ latency }, index) => ({
        value: latency ? atLeastOne(latency[quantile]) : null,
        label: {
          show: index === lastMeasured,
          position: "right",
          distance: 8,
          formatter: latency ? `${quantile} ${duration(latency[quantile])}` : "",
          color: COLORS.ink,
          fontSize: FONT_SIZE,
        },
      })),
    })),
  };
  return { name, width, height: 220, option };
}

/** A logarithmic axis has no zero. */
function atLeastOne(milliseconds: number): number {
  return Math.max(1, milliseconds);
}

/** A logarithmic axis slightly longer than the range of times, with ticks at round values. */
function timeAxis(times: readonly number[]) {
  const min = atLeastOne(Math.min(...times)) * 0.8;
  const max = atLeastOne(Math.max(...times)) * 1.25;
  const decades = Array.from({ length: Math.ceil(Math.log10(max)) + 1 }, (_, power) => 10 ** power);
  // Fewer ticks on a longer axis, so that their labels do not overlap.
  const steps = max / min > 1_000 ? [1] : max / min > 50 ? [1, 3] : [1, 2, 5];
  const ticks = decades.flatMap((decade) => steps.map((step) => step * decade)).filter((at) => at >= min && at <= max);
  return {
    ...AXIS,
    type: "log" as const,
    min,
    max,
    axisTick: { ...AXIS.axisTick, customValues: ticks },
    axisLabel: {
      ...AXIS.axisLabel,
      customValues: ticks,
      formatter: (value: number) => duration(value).replace(".0", ""),
      hideOverlap: true,
    },
  };
}
