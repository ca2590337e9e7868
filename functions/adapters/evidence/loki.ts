// Sources with the HTTP API of Loki, also behind the data source proxy of Grafana.

import { z } from "zod";
import { type EvidenceQuery, type LogLine, QUERY_LIMITS, type QueryResult } from "../../../lib/checks/scope/query.ts";
import { settle } from "../../dependencies.ts";
import type { CreateEvidenceClient, QueryCall } from "./client.ts";
import { createHttpSource, type HttpSource, jsonOf, sourceError } from "./http-source.ts";
import { failureIn, noResult, refusePartial, SERIES_SCHEMAS, seriesResult, statusFields } from "./query-api.ts";
import { exploreLink } from "./query-links.ts";

type LogqlQuery = Extract<EvidenceQuery, { readonly language: "logql" }>;

const FEWER_LINES = 'Add a line filter such as `|= "error"`, or count: `sum by (…) (count_over_time(… [15m]))`.';

/** Nanoseconds since 1970 as a text, the line, and in newer servers more labels of the line. */
const entrySchema = z.tuple([z.string().regex(/^\d{1,20}$/), z.string()]).rest(z.unknown());
const streamsSchema = z.object({
  resultType: z.literal("streams"),
  result: z.array(z.object({ stream: z.record(z.string(), z.string()), values: z.array(entrySchema) })),
});
const responseSchema = z.object({
  ...statusFields,
  data: z.discriminatedUnion("resultType", [streamsSchema, ...SERIES_SCHEMAS]),
});
const namesSchema = z.object({ status: z.literal("success") });
const buildSchema = z.object({ version: z.string() });

/** @param credential a token, or `user:password` */
export const createLokiClient: CreateEvidenceClient = (definition, credential, startTimer) => {
  const source = createHttpSource(definition, { credential, startTimer, failureIn });
  return {
    definition,
    server: null,
    run: (query, call) => run(source, logqlOf(query), call),
    async ping(call) {
      const build = settle(source.get("/loki/api/v1/status/buildinfo", {}, call));
      // Unlike the version, the names of labels need the credential and the tenant.
      const names = await source.get("/loki/api/v1/labels", {}, call);
      if (names.kind === "json" && !namesSchema.safeParse(names.value).success) throw noResult();
      const settled = await build;
      const parsed = buildSchema.safeParse(settled.ok ? jsonOf(settled.value) : undefined);
      return { version: parsed.success ? parsed.data.version : null };
    },
    linkTo(query) {
      const { expression, start, end } = logqlOf(query);
      return exploreLink(definition, "loki", { expression, from: start, to: end });
    },
  };
};

function logqlOf(query: EvidenceQuery): LogqlQuery {
  if (query.language !== "logql") throw sourceError("refused", `the query is ${query.language}, not logql`);
  return query;
}

async function run(source: HttpSource, query: LogqlQuery, call: QueryCall): Promise<QueryResult> {
  const [path, parameters] = isLogQuery(query.expression) ? lineRequest(query) : valueRequest(query);
  const response = await source.get(path, parameters, call);
  if (response.kind === "too_large") return { ...response, hint: FEWER_LINES };
  const parsed = responseSchema.safeParse(response.value);
  if (!parsed.success) throw noResult();
  const { data } = parsed.data;
  const result = data.resultType === "streams" ? lineResult(data) : seriesResult(data, Number.POSITIVE_INFINITY);
  if (result.kind !== "too_large") refusePartial(parsed.data);
  return result;
}

/** A log query begins with its stream selector; a metric query with a function or a number. Both may be in parentheses. */
function isLogQuery(expression: string): boolean {
  const withoutComments = expression.replace(/#[^\n]*/g, "");
  return /^[\s(]*\{/.test(withoutComments);
}

/** One line more than a result may have shows that there are more. */
function lineRequest({ expression, start, end }: LogqlQuery): [string, Record<string, string>] {
  const limit = `${QUERY_LIMITS.lines + 1}`;
  const times = { start: nanosecondsOf(start), end: nanosecondsOf(end) };
  return ["/loki/api/v1/query_range", { query: expression, ...times, limit, direction: "backward" }];
}

function valueRequest({ expression, end }: LogqlQuery): [string, Record<string, string>] {
  return ["/loki/api/v1/query", { query: expression, time: nanosecondsOf(end) }];
}

function nanosecondsOf(time: Date): string {
  return `${time.getTime()}000000`;
}

function lineResult({ result }: z.infer<typeof streamsSchema>): QueryResult {
  const entries = result.flatMap(({ stream, values }) =>
    values.map(([nanoseconds, text]) => ({ nanoseconds: BigInt(nanoseconds), labels: stream, text })),
  );
  if (entries.length > QUERY_LIMITS.lines)
    return { kind: "too_large", size: `more than ${QUERY_LIMITS.lines} lines`, hint: FEWER_LINES };
  // Streams are sorted by themselves only.
  const newestFirst = entries.sort((a, b) => Number(b.nanoseconds - a.nanoseconds));
  const lines = newestFirst.map(
    ({ nanoseconds, labels, text }): LogLine => ({ time: new Date(Number(nanoseconds / 1_000_000n)), labels, text }),
  );
  return { kind: "lines", lines };
}
