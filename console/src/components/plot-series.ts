// Series of a query as data of a plot. Pure functions.

/** Null where there is no number. */
export interface PlottedSeries {
  /** Seconds since 1970, then the values of each series. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly { readonly label: string }[];
}

interface QuerySeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Seconds since 1970, and the value; `NaN` and infinite numbers are text. */
  readonly points: readonly (readonly [number, number | string | null])[];
}

/** A plot with more lines is unreadable: the others are left out. */
const MAX_SERIES = 6;

/** Series may lack points that others have: each has a null there. */
export function plottedSeries(all: readonly QuerySeries[]): PlottedSeries {
  const series = all.slice(0, MAX_SERIES);
  const times = [...new Set(series.flatMap(({ points }) => points.map(([time]) => time)))].toSorted((a, b) => a - b);
  const names = distinctNames(series.map(({ labels }) => labels));
  const values = series.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => {
      const value = byTime.get(time);
      return typeof value === "number" ? value : null;
    });
  });
  return { data: [times, ...values], series: names.map((label) => ({ label })) };
}

/** The labels that tell the series apart; all labels of a single series. */
function distinctNames(labels: readonly Readonly<Record<string, string>>[]): string[] {
  const names = [...new Set(labels.flatMap((each) => Object.keys(each)))];
  const differing = names.filter((name) => new Set(labels.map((each) => each[name])).size > 1);
  const shown = differing.length > 0 ? differing : names.filter((name) => name !== "__name__");
  return labels.map((each) => {
    const pairs = shown.flatMap((name) => (each[name] === undefined ? [] : [`${name}=${each[name]}`]));
    return pairs.join(", ") || "value";
  });
}
