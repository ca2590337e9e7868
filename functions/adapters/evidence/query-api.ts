// Responses of the query API that metrics and log servers share: series, values and partial results.

import { z } from "zod";
import { type Point, QUERY_LIMITS, type QueryResult, type Series } from "../../../lib/checks/scope/query.ts";
import type { DependencyError } from "../../dependencies.ts";
import { sourceError } from "./http-source.ts";

const labelsSchema = z.record(z.string(), z.string());
const SPECIAL_VALUES: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  "+Inf": Number.POSITIVE_INFINITY,
  "-Inf": Number.NEGATIVE_INFINITY,
};
const valueSchema = z.union([
  z.literal(Object.keys(SPECIAL_VALUES)).transform((name) => SPECIAL_VALUES[name] ?? Number.NaN),
  z.string().trim().min(1).transform(Number).refine(Number.isFinite),
]);
/** Seconds since 1970, and the value as a text. */
const sampleSchema = z
  .tuple([z.number(), valueSchema])
  .transform(([seconds, value]): Point => [Math.round(seconds * 1_000), value]);

/** Without a value, a sample is a histogram, which no condition can compare. */
export const SERIES_SCHEMAS = [
  z.object({
    resultType: z.literal("vector"),
    result: z.array(z.object({ metric: labelsSchema, value: sampleSchema.optional() })),
  }),
  z.object({ resultType: z.literal("scalar"), result: sampleSchema }),
  z.object({
    resultType: z.literal("matrix"),
    result: z.array(z.object({ metric: labelsSchema, values: z.array(sampleSchema).default([]) })),
  }),
] as const;
type SeriesData = z.infer<(typeof SERIES_SCHEMAS)[number]>;

/** Fields beside `data`. */
export const statusFields = {
  status: z.literal("success"),
  warnings: z.array(z.string()).nullish(),
  /** Of VictoriaMetrics: a storage node did not answer. */
  isPartial: z.boolean().nullish(),
};

export const NARROWER = "Ask for less: `topk(20, …)`, `sum by (…) (…)`, or one more matcher.";

/** @param maxCounted the limit that the server had; a result of this size may be the beginning of a larger one */
export function seriesResult(data: SeriesData, maxCounted: number): QueryResult {
  const series = seriesOf(data);
  if (series.length > QUERY_LIMITS.series) {
    const count = series.length >= maxCounted ? `at least ${maxCounted}` : `${series.length}`;
    return { kind: "too_large", size: `${count} series`, hint: NARROWER };
  }
  const points = Math.max(0, ...series.map((each) => each.points.length));
  if (points > QUERY_LIMITS.pointsPerSeries)
    return { kind: "too_large", size: `${points} points a series`, hint: "Ask for a shorter time." };
  return { kind: "series", series };
}

interface Completeness {
  readonly warnings?: readonly string[] | null | undefined;
  readonly isPartial?: boolean | null | undefined;
}

/** A value of a part of the data would prove nothing. @throws DependencyError for a result that may lack data */
export function refusePartial({ warnings, isPartial }: Completeness): void {
  if (isPartial === true || (warnings ?? []).length > 0)
    throw sourceError("invalid_response", "the server warns that the result may lack data");
}

export function noResult(): DependencyError {
  return sourceError("invalid_response", "the response is not a result of the query API");
}

/** Names of errors in the API. Other texts of an error may hold content. */
const REFUSALS = new Set(["bad_data", "execution", "not_found", "not_acceptable"]);
const errorSchema = z.object({ status: z.literal("error"), errorType: z.string() });

/** The failure that an error's body names; undefined if it names none. */
export function failureIn(body: unknown): DependencyError | undefined {
  const parsed = errorSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { errorType } = parsed.data;
  if (errorType === "timeout") return sourceError("timeout", "the server stopped the query after its time");
  return REFUSALS.has(errorType) ? sourceError("refused", `the server refused the query: ${errorType}`) : undefined;
}

function seriesOf(data: SeriesData): Series[] {
  if (data.resultType === "scalar") return [{ labels: {}, points: [data.result] }];
  if (data.resultType === "matrix")
    return data.result.map(({ metric, values }) => ({ labels: metric, points: values }));
  return data.result.map(({ metric, value }) => ({ labels: metric, points: [value ?? [0, Number.NaN]] }));
}
