// Stacked bars over days or weeks, with a legend that has the sums.

import { counted } from "../../format/words.ts";

export interface BarSeries {
  readonly name: string;
  /** Number of the colour, 1 to 6. */
  readonly colour: number;
  /** One value for each bar. */
  readonly values: readonly number[];
}

interface StackedBarsProps {
  /** What the bars count, such as `answer`. */
  readonly unit: string;
  readonly series: readonly BarSeries[];
  /** Name of each bar, oldest first. */
  readonly names: readonly string[];
}

const BAR = 10;
const GAP = 1.5;
const HEIGHT = 100;

export function StackedBars({ unit, series, names }: StackedBarsProps) {
  const sums = names.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const most = Math.max(1, ...sums);
  const totals = series.map(({ name, colour, values }) => ({
    name,
    colour,
    total: values.reduce((sum, each) => sum + each, 0),
  }));
  const label = `${names[0]} to ${names.at(-1)}: ${totals.map(({ name, total }) => `${name} ${total}`).join(", ")}.`;
  return (
    <figure class="stack-2">
      <div class="stack-2 quality-bars-frame">
        <span class="quality-bars-most">{counted(most, unit)}</span>
        <svg viewBox={`0 0 ${names.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {names.map((name, index) => (
            <Bar
              key={name}
              index={index}
              heights={series.map(({ values }) => ((values[index] ?? 0) / most) * HEIGHT)}
              series={series}
            >
              {`${name}: ${series.map((each) => `${each.name} ${each.values[index] ?? 0}`).join(", ")}`}
            </Bar>
          ))}
        </svg>
        <div class="quality-bars-axis">
          <span>{names[0]}</span>
          <span>{names.at(-1)}</span>
        </div>
      </div>
      <figcaption class="facts">
        {totals.map(({ name, colour, total }) => (
          <span key={name} class="actions">
            <svg class="quality-swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect fill={`var(--plot-${colour})`} width="10" height="10" rx="2" />
            </svg>
            {name} <b>{total.toLocaleString("en-GB")}</b>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface BarProps {
  readonly index: number;
  /** Of each series, in units of the drawing. */
  readonly heights: readonly number[];
  readonly series: readonly BarSeries[];
  /** Shown by the pointer. */
  readonly children: string;
}

function Bar({ index, heights, series, children }: BarProps) {
  let top = HEIGHT;
  return (
    <g>
      <title>{children}</title>
      <rect class="quality-hit" x={index * BAR} y={0} width={BAR} height={HEIGHT} />
      {heights.map((height, place) => {
        top -= height;
        const each = series[place];
        if (each === undefined || height === 0) return null;
        return (
          <rect
            key={each.name}
            fill={`var(--plot-${each.colour})`}
            x={index * BAR + GAP / 2}
            y={top}
            width={BAR - GAP}
            height={height}
          />
        );
      })}
    </g>
  );
}
