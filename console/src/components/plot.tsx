// Lines over time or over a number, drawn by uPlot, which is loaded on first use. Its label is its text alternative.

import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";

/** Pixels; the same in `.plot-frame`. */
export const PLOT_HEIGHT = 180;

export interface PlotProps {
  /** What it shows, in a sentence: the text alternative. */
  readonly label: string;
  /** x values (seconds since 1970 where `isTime`), then the y values of each series; null is a gap. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly { readonly label: string }[];
  readonly isTime?: boolean;
  /** Horizontal lines, such as a threshold. */
  readonly lines?: readonly { readonly at: number; readonly label: string }[];
  /** Vertical lines, such as the start of an alert; on the x axis. */
  readonly marks?: readonly { readonly at: number; readonly label: string }[];
}

export function Plot(props: PlotProps) {
  const { label } = props;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let plot: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: PLOT_HEIGHT }));
    void import("./draw-plot.ts").then(({ drawPlot }) => {
      if (isGone) return;
      plot = drawPlot(element, props);
      resize.observe(element);
    });
    return () => {
      isGone = true;
      resize.disconnect();
      plot?.destroy();
    };
  }, [props.data, props.series, props.lines, props.marks]);
  return (
    <figure class="plot">
      <div ref={frame} class="plot-frame" role="img" aria-label={label} />
      <figcaption>{label}</figcaption>
    </figure>
  );
}
