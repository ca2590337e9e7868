// Queries to a source of evidence, and their results, in one form for all sources.

/** A request to read objects of a cluster. */
export interface ObjectRequest {
  /** Plural name, such as "pods" or "events"; with its group if the author gives one: "deployments.apps". */
  readonly resource: string;
  /** Null for all namespaces, or for an object outside of namespaces. */
  readonly namespace: string | null;
  /** Null for a list. */
  readonly name: string | null;
  /** Pairs that must be equal; values are plain texts and encoded by the adapter. */
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

export type EvidenceQuery =
  /** Values at one time. */
  | { readonly language: "promql"; readonly expression: string; readonly at: Date }
  /** Values between two times, at most `points` a series. */
  | {
      readonly language: "promql";
      readonly expression: string;
      readonly start: Date;
      readonly end: Date;
      readonly points: number;
    }
  /** Log lines, newest first, or the values of a metric query at `end`. */
  | { readonly language: "logql"; readonly expression: string; readonly start: Date; readonly end: Date }
  /** `text` has $1, $2, … for the parameters. */
  | { readonly language: "sql"; readonly text: string; readonly parameters: readonly string[] }
  | { readonly language: "k8s"; readonly request: ObjectRequest };

/** A value at a time, in milliseconds since 1970. The value may be NaN or infinite. */
export type Point = readonly [time: number, value: number];

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Oldest first; one point for an instant query. */
  readonly points: readonly Point[];
}

export interface LogLine {
  readonly time: Date;
  readonly labels: Readonly<Record<string, string>>;
  readonly text: string;
}

export type Cell = string | number | boolean | null;

export type QueryResult =
  | { readonly kind: "series"; readonly series: readonly Series[] }
  | { readonly kind: "lines"; readonly lines: readonly LogLine[] }
  | { readonly kind: "rows"; readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }
  /** Objects as the API returns them, without values of secrets and config maps. */
  | { readonly kind: "objects"; readonly objects: readonly unknown[] }
  /** More than QUERY_LIMITS. Nothing of it is returned. */
  | {
      readonly kind: "too_large";
      /** Such as "412 series" or "more than 256 KB". */
      readonly size: string;
      /** A narrower query, or how to write one. */
      readonly hint: string;
    };

export const QUERY_LIMITS = {
  pointsPerSeries: 100,
  series: 20,
  lines: 100,
  rows: 100,
  objects: 100,
  /** Of the response. */
  bytes: 262_144,
} as const;
