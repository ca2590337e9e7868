// Reliability diagram: the share of right answers by confidence, above a histogram of the answers.

import type { CustomSeriesOption } from "echarts/charts";
import type { ReliabilityBin } from "../../../functions/quality/reliability.ts";
import type { Calibration } from "../../statistics/calibration.ts";
import { AXIS, type ChartOption, COLORS, type Drawing, FONT_FAMILY, FONT_SIZE } from "./chart.ts";
import { whiskers } from "./whiskers.ts";

const LEFT = 50;
const RIGHT = 16;
const COUNTS_HEIGHT = 44;
/** The counts of more bins than this stand in a smaller font, so that they do not touch. */
const MAX_WIDE_BINS = 5;
const SMALL_FONT_SIZE = 8;

/** @param name unique in the page */
export function calibrationChart(name: string, { bins }: Calibration, width: number): Drawing {
  const height = Math.round(width * 0.85) + 50;
  const maxAnswers = Math.max(...bins.map(({ answers }) => answers));
  const confidence = { ...AXIS, type: "value" as const, min: 0, max: 1, interval: 0.2 };
  const option: ChartOption = {
    grid: [
      { left: LEFT, right: RIGHT, top: 12, bottom: COUNTS_HEIGHT + 62 },
      { left: LEFT, right: RIGHT, height: COUNTS_HEIGHT, bottom: 44 },
    ],
    xAxis: [
      { ...confidence, gridIndex: 0, axisLabel: { show: false } },
      {
        ...confidence,
        gridIndex: 1,
        splitLine: { show: false },
        name: "confidence",
        nameLocation: "middle",
        nameGap: 28,
      },
    ],
    yAxis: [
      { ...confidence, gridIndex: 0, name: "share right", nameLocation: "middle", nameGap: 34 },
      {
        ...AXIS,
        type: "value",
        gridIndex: 1,
        min: 0,
        // Room for the label above the highest bar.
        max: maxAnswers * 1.4,
        axisLabel: { show: false },
        splitLine: { show: false },
        name: "answers",
        nameLocation: "middle",
        nameGap: 34,
      },
    ],
    series: [
      {
        type: "line",
        silent: true,
        showSymbol: false,
        lineStyle: { color: COLORS.soft, width: 1.5, type: "dashed" },
        data: [
          [0, 0],
          [1, 1],
        ],
      },
      whiskers(bins.map(({ meanConfidence, interval }) => ({ x: meanConfidence, ...interval }))),
      {
        type: "line",
        silent: true,
        symbol: "circle",
        symbolSize: 9,
        itemStyle: { color: COLORS.data },
        lineStyle: { color: COLORS.data, width: 2 },
        data: bins.map(({ meanConfidence, shareRight }) => [meanConfidence, shareRight]),
      },
      histogram(bins),
    ],
  };
  return { name, width, height, option };
}

/** One bar for each bin, labelled with its number of answers, in the second grid. */
function histogram(bins: readonly ReliabilityBin[]): CustomSeriesOption {
  const fontSize = bins.length > MAX_WIDE_BINS ? SMALL_FONT_SIZE : FONT_SIZE;
  return {
    type: "custom",
    silent: true,
    xAxisIndex: 1,
    yAxisIndex: 1,
    data: bins.map(({ from, to, answers }) => [from, to, answers]),
    renderItem: (_, api) => {
      const [left = 0, top = 0] = api.coord([api.value(0), api.value(2)]);
      const [right = 0, bottom = 0] = api.coord([api.value(1), 0]);
      return {
        type: "group",
        children: [
          {
            type: "rect",
            shape: { x: left + 1, y: top, width: right - left - 2, height: bottom - top },
            style: { fill: COLORS.data, opacity: 0.45 },
          },
          {
            type: "text",
            x: (left + right) / 2,
            y: top - 2,
            style: {
              text: String(api.value(2)),
              fill: COLORS.ink,
              fontSize,
              fontFamily: FONT_FAMILY,
              align: "center",
              verticalAlign: "bottom",
            },
          },
        ],
      };
    },
  };
}
