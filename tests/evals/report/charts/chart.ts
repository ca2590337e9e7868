// Owns how a chart becomes an SVG that is part of a page: drawn by ECharts without a browser, in the page's own colours.

import {
  CustomChart,
  type CustomSeriesOption,
  LineChart,
  type LineSeriesOption,
  ScatterChart,
  type ScatterSeriesOption,
} from "echarts/charts";
import { GridComponent, type GridComponentOption } from "echarts/components";
import { type ComposeOption, init, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";

use([LineChart, ScatterChart, CustomChart, GridComponent, LabelLayout, SVGRenderer]);

export type ChartOption = ComposeOption<
  LineSeriesOption | ScatterSeriesOption | CustomSeriesOption | GridComponentOption
>;

/** Names of the page's colours, which differ in light and dark; ECharts passes on what it does not know. */
export const COLORS = {
  ink: "var(--ink)",
  soft: "var(--soft)",
  line: "var(--line)",
  paper: "var(--card)",
  data: "var(--data)",
  alert: "var(--alert)",
} as const;

export const FONT_SIZE = 12;
/** The page's. */
export const FONT_FAMILY = "inherit";

/** What every axis looks like. */
export const AXIS = {
  axisLine: { show: false },
  axisTick: { show: false },
  axisLabel: { color: COLORS.soft, fontSize: FONT_SIZE },
  splitLine: { lineStyle: { color: COLORS.line, width: 1 } },
  nameTextStyle: { color: COLORS.soft, fontSize: FONT_SIZE },
} as const;

/** The runs, a label each, of which the first and the newest are named. @param margin between label and axis, in pixels */
export function runAxis(labels: readonly string[], margin = 8) {
  const newest = labels.length - 1;
  return {
    ...AXIS,
    type: "category" as const,
    boundaryGap: false,
    data: [...labels],
    splitLine: { show: false },
    axisLabel: { ...AXIS.axisLabel, margin, interval: (index: number) => index === 0 || index === newest },
  };
}

export interface Drawing {
  /** Unique in the page: what the SVG refers to within itself begins with it. */
  readonly name: string;
  /** In pixels; the page may show it larger or smaller. */
  readonly width: number;
  readonly height: number;
  readonly option: ChartOption;
}

/** The chart as SVG, without styles or scripts, the same for the same drawing. */
export function drawChart({ name, width, height, option }: Drawing): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: FONT_FAMILY }, ...option });
    return (
      chart
        .renderToSVGString()
        // Made for a page with a script: what happens under a pointer, and what a script finds its data by.
        .replace(/<style\b[\s\S]*?<\/style>/g, "")
        .replace(/ (?:class|ecmeta_\w+)="[^"]*"/g, "")
        // Numbered by how many charts this process has drawn.
        .replace(/\bzr\d+-/g, `${name}-`)
    );
  } finally {
    chart.dispose();
  }
}
