// Lines over time, drawn by uPlot, which is loaded on first use. Its label is its text alternative.

import { useEffect, useRef } from "preact/hooks";
import type { PlotProps } from "./draw-plot.ts";
import { useLoaded } from "./use-loaded.ts";

export function Plot(props: PlotProps) {
  const { label } = props;
  const drawing = useLoaded(() => import("./draw-plot.ts"));
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null || drawing === null || drawing === "failed") return;
    const plot = drawing.drawPlot(element, props);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: plot.height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [drawing, props.data, props.series, props.lines, props.marks]);
  if (drawing === "failed") return <p>{label}. The plot did not load: reload the page.</p>;
  return (
    <figure class="plot">
      <div ref={frame} class="plot-frame" role="img" aria-label={label} />
      <figcaption>{label}</figcaption>
    </figure>
  );
}
