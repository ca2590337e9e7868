// Lines over time or over a number, drawn by uPlot, which is loaded on first use. Its label is its text alternative.

import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import type { PlotProps } from "./draw-plot.ts";

export function Plot(props: PlotProps) {
  const { label } = props;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let plot: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: plot.height }));
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
