// Renders charts to inline SVG: drawn by ECharts without a browser, in the colours of the page.

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

/** CSS variables of the page, which differ in light and dark mode. ECharts copies unknown colour strings unchanged. */
export const COLORS = {
  ink: "var(--ink)",
  soft: "var(--soft)",
  line: "var(--line)",
  paper: "var(--card)",
  data: "var(--data)",
  alert: "var(--alert)",
} as const;

export const FONT_SIZE = 12;
/** The font of the page. */
export const FONT_FAMILY = "inherit";

/** Common style of all axes. */
export const AXIS = {
  axisLine: { show: false },
  axisTick: { show: false },
  axisLabel: { color: COLORS.soft, fontSize: FONT_SIZE },
  splitLine: { lineStyle: { color: COLORS.line, width: 1 } },
  nameTextStyle: { color: COLORS.soft, fontSize: FONT_SIZE },
} as const;

/** One category for each run; only the first and the last show their label. @param margin between label and axis, in pixels */
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
  /** Unique in the page: prefix of the ids in the SVG. */
  readonly name: string;
  /** In pixels; the page may scale it. */
  readonly width: number;
  readonly height: number;
  readonly option: ChartOption;
}

/** The chart as SVG without styles or scripts. Deterministic. */
export function drawChart({ name, width, height, option }: Drawing): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: FONT_FAMILY }, ...option });
    return (
      chart
        .renderToSVGString()
        // Hover styles and data attributes, which only a page with scripts needs.
        .replace(/<style\b[\s\S]*?<\/style>/g, "")
        .replace(/ (?:class|ecmeta_\w+)="[^"]*"/g, "")
        // Ids carry a counter of the charts drawn in this process.
        .replace(/\bzr\d+-/g, `${name}-`)
    );
  } finally {
    chart.dispose();
  }
}
