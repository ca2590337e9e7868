// The only file that knows uPlot.

import uPlot from "uplot";
import { shortNumber } from "../../../functions/answer-view/live-evidence-text.ts";
import "uplot/dist/uPlot.min.css";

/** Pixels; the same in `.plot-frame`. */
const PLOT_HEIGHT = 180;

export interface PlotProps {
  /** What it shows, in a sentence: the text alternative. */
  readonly label: string;
  /** x values in seconds since 1970, then the y values of each series; null is a gap. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly { readonly label: string }[];
  /** Horizontal lines, such as a threshold. */
  readonly lines?: readonly { readonly at: number; readonly label: string }[];
  /** Vertical lines, such as the start of an alert; on the x axis. */
  readonly marks?: readonly { readonly at: number; readonly label: string }[];
}

const HALF_A_DAY_S = 43_200;
const COLOURS = ["--plot-1", "--plot-2", "--plot-3", "--plot-4", "--plot-5", "--plot-6"];

/** Draws into an element, whose width it takes. The colours are those of the present colour scheme. */
export function drawPlot(element: HTMLElement, props: PlotProps): uPlot {
  const { data, series } = props;
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line") },
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: PLOT_HEIGHT,
    scales: {
      x: { range: (_, min, max) => horizontalRange(data[0] ?? [], [min, max]) },
      y: { range: (_, min, max) => rangeOf(min, max, props.lines) },
    },
    legend: { show: series.length > 1 },
    cursor: { drag: { x: false, y: false } },
    axes: [
      { ...axis, values: (_, times, __, ___, step) => times.map((time) => timeOf(time, step)) },
      { ...axis, size: 56, values: (_, values) => values.map((value) => shortNumber(value, 6)) },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => ({
        label,
        stroke: colour(COLOURS[index % COLOURS.length] ?? "--plot-1"),
        width: 1.5,
        points: { show: data[0] !== undefined && data[0].length < 3 },
      })),
    ],
    hooks: { draw: [(plot) => drawLines(plot, props, colour)] },
  };
  return new uPlot(options, data as uPlot.AlignedData, element);
}

/** Such as `07:50`; of days `30 Nov`. @param step between two, in seconds */
function timeOf(time: number, step: number): string {
  const isDay = step >= 2 * HALF_A_DAY_S;
  const parts = isDay
    ? ({ day: "numeric", month: "short" } as const)
    : ({ hour: "2-digit", minute: "2-digit" } as const);
  return new Intl.DateTimeFormat("en-GB", parts).format(time * 1_000);
}

/** One point alone stands in the middle of a day: uPlot would show three years after it. */
function horizontalRange(values: PlotProps["data"][number], range: [number, number]): [number, number] {
  const [first, ...others] = values;
  if (typeof first !== "number" || others.some((value) => value !== first)) return range;
  return [first - HALF_A_DAY_S, first + HALF_A_DAY_S];
}

/** The values and the horizontal lines, with some room. */
function rangeOf(min: number | null, max: number | null, lines: PlotProps["lines"] = []): [number, number] {
  const values = [min, max, ...lines.map(({ at }) => at)].filter((value) => value !== null && Number.isFinite(value));
  if (values.length === 0) return [0, 1];
  const low = Math.min(...(values as number[]));
  const high = Math.max(...(values as number[]));
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

function drawLines(plot: uPlot, { lines = [], marks = [] }: PlotProps, colour: (name: string) => string): void {
  const { ctx: context, bbox } = plot;
  context.save();
  context.setLineDash([5, 4]);
  context.lineWidth = devicePixelRatio;
  // The axes leave their own alignment behind.
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.font = `${11 * devicePixelRatio}px system-ui`;
  for (const { at, label } of lines) {
    const y = plot.valToPos(at, "y", true);
    context.strokeStyle = context.fillStyle = colour("--bad");
    drawLine(context, [bbox.left, y], [bbox.left + bbox.width, y]);
    context.fillText(label, bbox.left + 4, y - 4);
  }
  for (const { at, label } of marks) {
    const x = plot.valToPos(at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    context.strokeStyle = context.fillStyle = colour("--text");
    drawLine(context, [x, bbox.top], [x, bbox.top + bbox.height]);
    context.fillText(label, x + 4, bbox.top + 12 * devicePixelRatio);
  }
  context.restore();
}

function drawLine(context: CanvasRenderingContext2D, from: readonly [number, number], to: readonly [number, number]) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}
