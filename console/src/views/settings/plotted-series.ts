// Series of a query as the plot takes them: one list of times, and the values of each series. Pure functions.

interface QuerySeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Seconds since 1970, and the value; `NaN` and infinite numbers are text. */
  readonly points: readonly (readonly [number, number | string])[];
}

/** A plot with more lines is unreadable. */
const MAX_SERIES = 6;

/** Null where none of the first six series has two points: there is no line to draw. */
export function plottedOf(all: readonly QuerySeries[]) {
  const series = all.slice(0, MAX_SERIES);
  if (!series.some(({ points }) => points.length > 1)) return null;
  const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))].sort((a, b) => a - b);
  const values = series.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => {
      const value = byTime.get(time);
      return typeof value === "number" ? value : null;
    });
  });
  return { data: [times, ...values], series: series.map(({ labels }) => ({ label: nameOf(labels) })) };
}

function nameOf(labels: Readonly<Record<string, string>>): string {
  const values = Object.values(labels);
  return values.length === 0 ? "value" : values.join(" ");
}
