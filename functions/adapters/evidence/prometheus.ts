// Sources with the HTTP API of Prometheus: also Thanos, Mimir, VictoriaMetrics, and the data source proxy of Grafana.

import { z } from "zod";
import { type EvidenceQuery, QUERY_LIMITS, type QueryResult } from "../../../lib/checks/scope/query.ts";
import { settle } from "../../dependencies.ts";
import type { CreateEvidenceClient, QueryCall } from "./client.ts";
import { createHttpSource, type HttpSource, jsonOf, sourceError } from "./http-source.ts";
import {
  failureIn,
  NARROWER,
  noResult,
  refusePartial,
  SERIES_SCHEMAS,
  seriesResult,
  statusFields,
} from "./query-api.ts";
import { exploreLink, graphLink } from "./query-links.ts";

type PromqlQuery = Extract<EvidenceQuery, { readonly language: "promql" }>;
type InstantQuery = Extract<PromqlQuery, { readonly at: Date }>;
type RangeQuery = Extract<PromqlQuery, { readonly start: Date }>;

/** Servers that know the parameter `limit` stop here: enough to count a result that is too large. */
const MAX_COUNTED = 1_000;
const HOUR_MS = 3_600_000;

const responseSchema = z.object({ ...statusFields, data: z.discriminatedUnion("resultType", SERIES_SCHEMAS) });
const buildSchema = z.object({ data: z.object({ version: z.string() }) });

/** @param credential a token, or `user:password` */
export const createPrometheusClient: CreateEvidenceClient = (definition, credential, startTimer) => {
  const source = createHttpSource(definition, { credential, startTimer, failureIn });
  return {
    definition,
    server: null,
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
  const parameters = "at" in query ? instantParameters(query) : rangeParameters(query);
  const path = "at" in query ? "/api/v1/query" : "/api/v1/query_range";
  const response = await source.get(path, { ...parameters, limit: `${MAX_COUNTED}`, timeout: timeoutOf(call) }, call);
  if (response.kind === "too_large") return { ...response, hint: NARROWER };
  const parsed = responseSchema.safeParse(response.value);
  if (!parsed.success) throw noResult();
  const result = seriesResult(parsed.data.data, MAX_COUNTED);
  // A server that stopped at the limit warns, too.
  if (result.kind !== "too_large") refusePartial(parsed.data);
  return result;
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
