// What a plot shows, and its height.

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
