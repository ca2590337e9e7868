// Sources with the HTTP API of Prometheus: also Thanos, Mimir, VictoriaMetrics, and the data source proxy of Grafana.

import { z } from "zod";
import { type DependencyError, settle } from "../../dependencies.ts";
import {
  type EvidenceQuery,
  type Point,
  QUERY_LIMITS,
  type QueryResult,
  type Series,
} from "../../schemas/evidence/query.ts";
import type { CreateEvidenceClient, QueryCall } from "./client.ts";
import { createHttpSource, type HttpSource, jsonOf, sourceError } from "./http-source.ts";
import { exploreLink, graphLink } from "./query-links.ts";

type PromqlQuery = Extract<EvidenceQuery, { readonly language: "promql" }>;
type InstantQuery = Extract<PromqlQuery, { readonly at: Date }>;
type RangeQuery = Extract<PromqlQuery, { readonly start: Date }>;

/** Servers that know the parameter `limit` stop here: enough to count a result that is too large. */
const MAX_COUNTED = 1_000;
const HOUR_MS = 3_600_000;

const labelsSchema = z.record(z.string(), z.string());
const SPECIAL_VALUES: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  "+Inf": Number.POSITIVE_INFINITY,
  "-Inf": Number.NEGATIVE_INFINITY,
};
const valueSchema = z.union([
  z.literal(Object.keys(SPECIAL_VALUES)).transform((name) => SPECIAL_VALUES[name] ?? Number.NaN),
  z.string().min(1).transform(Number).refine(Number.isFinite),
]);
/** Seconds since 1970, and the value as a text. */
const sampleSchema = z
  .tuple([z.number(), valueSchema])
  .transform(([seconds, value]): Point => [Math.round(seconds * 1_000), value]);
const dataSchema = z.discriminatedUnion("resultType", [
  // Without a value, the sample is a histogram, which no condition can compare.
  z.object({
    resultType: z.literal("vector"),
    result: z.array(z.object({ metric: labelsSchema, value: sampleSchema.optional() })),
  }),
  z.object({ resultType: z.literal("scalar"), result: sampleSchema }),
  z.object({
    resultType: z.literal("matrix"),
    result: z.array(z.object({ metric: labelsSchema, values: z.array(sampleSchema).default([]) })),
  }),
]);
const responseSchema = z.object({
  status: z.literal("success"),
  data: dataSchema,
  warnings: z.array(z.string()).nullish(),
  /** Of VictoriaMetrics: a storage node did not answer. */
  isPartial: z.boolean().nullish(),
});
type Response = z.infer<typeof responseSchema>;
const errorSchema = z.object({ status: z.literal("error"), errorType: z.string() });
const buildSchema = z.object({ data: z.object({ version: z.string() }) });

/** @param credential a token, or `user:password` */
export const createPrometheusClient: CreateEvidenceClient = (definition, credential) => {
  const source = createHttpSource(definition, credential, failureIn);
  return {
    definition,
    run: (query, call) => run(source, promqlOf(query), call),
    async ping(call) {
      const build = settle(source.get("/api/v1/status/buildinfo", {}, call));
      const response = await source.get("/api/v1/query", { query: "vector(1)" }, call);
      if (!responseSchema.safeParse(jsonOf(response)).success) throw noResult();
      // Not every server reports a version; the query has shown that the source works.
      const settled = await build;
      const parsed = buildSchema.safeParse(settled.ok ? jsonOf(settled.value) : undefined);
      return { version: parsed.success ? parsed.data.data.version : null };
    },
    linkTo(query) {
      const { expression, ...times } = promqlOf(query);
      const isRange = "start" in times;
      const to = isRange ? times.end : times.at;
      const from = isRange ? times.start : new Date(to.getTime() - HOUR_MS);
      const link = { expression, from, to };
      return exploreLink(definition, "prometheus", link) ?? graphLink(definition, { ...link, isRange });
    },
  };
};

function promqlOf(query: EvidenceQuery): PromqlQuery {
  if (query.language !== "promql") throw sourceError("refused", `the query is ${query.language}, not promql`);
  return query;
}

async function run(source: HttpSource, query: PromqlQuery, call: QueryCall): Promise<QueryResult> {
  const hint = `Ask for less: \`topk(20, …)\`, \`sum by (…) (…)\`, or another matcher.`;
  const parameters = "at" in query ? instantParameters(query) : rangeParameters(query);
  const path = "at" in query ? "/api/v1/query" : "/api/v1/query_range";
  const response = await source.get(path, { ...parameters, limit: `${MAX_COUNTED}`, timeout: timeoutOf(call) }, call);
  if (response.kind === "too_large") return { ...response, hint };
  const parsed = responseSchema.safeParse(response.value);
  if (!parsed.success) throw noResult();
  const series = seriesOf(parsed.data);
  if (series.length > QUERY_LIMITS.series) {
    const count = series.length >= MAX_COUNTED ? `at least ${MAX_COUNTED}` : `${series.length}`;
    return { kind: "too_large", size: `${count} series`, hint };
  }
  const points = Math.max(0, ...series.map((each) => each.points.length));
  if (points > QUERY_LIMITS.pointsPerSeries)
    return { kind: "too_large", size: `${points} points a series`, hint: "Ask for a shorter time or a longer step." };
  if (parsed.data.isPartial === true || (parsed.data.warnings ?? []).length > 0)
    throw sourceError("invalid_response", "the server warns that the result may lack data");
  return { kind: "series", series };
}

function instantParameters({ expression, at }: InstantQuery): Record<string, string> {
  return { query: expression, time: secondsOf(at) };
}

/** Both ends have a point. */
function rangeParameters({ expression, start, end, points }: RangeQuery): Record<string, string> {
  const steps = Math.max(1, Math.min(points, QUERY_LIMITS.pointsPerSeries) - 1);
  const step = Math.max(1, Math.ceil((end.getTime() - start.getTime()) / 1_000 / steps));
  return { query: expression, start: secondsOf(start), end: secondsOf(end), step: `${step}` };
}

function secondsOf(time: Date): string {
  return (time.getTime() / 1_000).toFixed(3);
}

/** The server stops its work when nobody waits for it. */
function timeoutOf({ timeoutMs }: QueryCall): string {
  return `${Math.max(1, Math.ceil(timeoutMs / 1_000))}s`;
}

function seriesOf({ data }: Response): Series[] {
  if (data.resultType === "scalar") return [{ labels: {}, points: [data.result] }];
  if (data.resultType === "matrix")
    return data.result.map(({ metric, values }) => ({ labels: metric, points: values }));
  return data.result.map(({ metric, value }) => ({ labels: metric, points: [value ?? [0, Number.NaN]] }));
}

function noResult(): DependencyError {
  return sourceError("invalid_response", "the response is not a result of the query API");
}

/** The names of errors in the API. Other texts of an error may hold content. */
const REFUSALS = new Set(["bad_data", "execution", "not_found", "not_acceptable"]);

function failureIn(body: unknown): DependencyError | undefined {
  const parsed = errorSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { errorType } = parsed.data;
  if (errorType === "timeout") return sourceError("timeout", "the server stopped the query after its time");
  return REFUSALS.has(errorType) ? sourceError("refused", `the server refused the query: ${errorType}`) : undefined;
}
