// POST /v1/sources/{name}/try: one query to a source of evidence, as a check of a triage runs it.

import { createRoute, z } from "@hono/zod-openapi";
import { CHECK_LANGUAGES, CHECK_VERDICTS } from "../../../../lib/checks/check.ts";
import { parseCondition } from "../../../../lib/checks/condition.ts";
import type { QueryResult } from "../../../../lib/checks/scope/query.ts";
import { type TriedResult, tryQuery } from "../../../evidence-sources/try-query.ts";
import { EVIDENCE_KINDS } from "../../../schemas/evidence/evidence-kinds.ts";
import { filledText, requireJsonBody, text } from "../../http/input.ts";
import { Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { requireSource, sourceParams } from "./sources.ts";

const MAX_QUERY_LENGTH = 10_000;
const MAX_LABELS = 64;

const condition = filledText(500).check(({ value, issues }) => {
  const parsed = parseCondition(value);
  if (!parsed.ok) issues.push({ code: "custom", message: parsed.message, input: value });
});
const ruleSchema = z
  .strictObject({ condition, meaning: text(500).default("") })
  .nullable()
  .default(null);

const requestSchema = z.strictObject({
  language: z
    .enum(CHECK_LANGUAGES)
    .optional()
    .openapi({ description: "Language of the query, to be sure; that of the source without it." }),
  query: filledText(MAX_QUERY_LENGTH).openapi({ description: "The query, as a check of a runbook has it." }),
  labels: z
    .record(text(256), text(1_024))
    .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must have at most ${MAX_LABELS} labels`)
    .default({})
    .openapi({ description: "Labels of an alert, which scope the query." }),
  match: z
    .array(filledText(256))
    .max(MAX_LABELS)
    .nullable()
    .default(null)
    .openapi({
      description:
        "Names of the labels that scope the query, as in the attribute `match` of a check; `name?` may be missing, an empty list scopes " +
        "nothing. Null: the usual labels of the language; nothing where `labels` is empty.",
    }),
  confirms: ruleSchema.openapi({ description: "The rule that confirms; null for none." }),
  refutes: ruleSchema.openapi({ description: "The rule that refutes; null for none." }),
});

const shownNumber = z.union([z.number(), z.enum(["NaN", "+Inf", "-Inf"])]);
const labelsSchema = z.record(z.string(), z.string());
const resultSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("series"),
    series: z.array(
      z.object({
        labels: labelsSchema,
        points: z
          .array(z.tuple([z.number(), shownNumber]))
          .openapi({ description: "Seconds since 1970, and the value." }),
      }),
    ),
  }),
  z.object({
    kind: z.literal("lines"),
    lines: z.array(z.object({ time: z.string(), labels: labelsSchema, text: z.string() })),
  }),
  z.object({
    kind: z.literal("rows"),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
  }),
  z.object({ kind: z.literal("objects"), objects: z.array(z.unknown()) }),
  z.object({
    kind: z.literal("too_large"),
    size: z.string(),
    hint: z.string().openapi({ description: "How to ask for less." }),
  }),
]);

const triedSchema = z.object({
  source: z.string(),
  language: z.enum(CHECK_LANGUAGES),
  query: z
    .string()
    .openapi({ description: "The query as it was sent, with the matchers and parameters of the labels." }),
  result: resultSchema.nullable().openapi({ description: "Without secrets and personal data; null after a failure." }),
  failure: z
    .object({
      code: z.string().openapi({ description: "Such as `timeout`, `refused` or `missing_credential`." }),
      detail: z.string(),
    })
    .nullable(),
  verdict: z.enum(CHECK_VERDICTS).nullable().openapi({ description: "Of the rules; null without any." }),
  statement: z
    .string()
    .nullable()
    .openapi({ description: "The meaning of the rule that holds; for `inconclusive`, the reason." }),
  rule: z.string().nullable().openapi({ description: "The condition that holds." }),
  value: z.string().nullable().openapi({ description: "The value that decided." }),
  link: z.string().nullable().openapi({ description: "A page that shows the query in the source." }),
  checked_at: z.string(),
  latency_ms: z.number(),
});

const EXAMPLE_REQUEST: z.input<typeof requestSchema> = {
  query: "max(pg_stat_activity_count) / max(pg_settings_max_connections)",
  labels: { instance: "orders-db-0:9187" },
  match: ["instance"],
  confirms: { condition: "any > 0.9", meaning: "the slots are nearly used up" },
  refutes: { condition: "all < 0.7", meaning: "the slots are free" },
};

const EXAMPLE_TRIED: z.infer<typeof triedSchema> = {
  source: "prod-metrics",
  language: "promql",
  query:
    'max(pg_stat_activity_count{instance="orders-db-0:9187"}) / max(pg_settings_max_connections{instance="orders-db-0:9187"})',
  result: { kind: "series", series: [{ labels: {}, points: [[1_795_316_400, 0.97]] }] },
  failure: null,
  verdict: "confirmed",
  statement: "the slots are nearly used up",
  rule: "any > 0.9",
  value: "0.97",
  link: "https://grafana.example.com/graph?g0.expr=max",
  checked_at: "2026-11-22T03:00:00.000Z",
  latency_ms: 21,
};

const tryRoute = createRoute({
  method: "post",
  path: "/v1/sources/{name}/try",
  summary: "Run one query as a check of a triage runs it",
  ...scoped("ingest", requireJsonBody),
  request: {
    params: sourceParams,
    body: bodyContent(requestSchema, {
      description: "The query is validated, scoped and limited as in a triage. Nothing is stored.",
      example: EXAMPLE_REQUEST,
    }),
  },
  responses: {
    200: jsonContent("The result, or the failure of the source.", triedSchema, EXAMPLE_TRIED),
    404: problemContent("No source has this name."),
    422: problemContent("The query is not valid, or cannot be scoped to these labels; nothing was sent."),
  },
});

export const trySourceRoutes = createRouter().openapi(tryRoute, async (c) => {
  const { definition } = await requireSource(c, c.req.valid("param").name);
  const { language, match, ...query } = c.req.valid("json");
  const own = EVIDENCE_KINDS[definition.kind].language;
  if (language !== undefined && language !== own)
    throw refused("language", `must be ${own}, the language of this source`);
  // A person who gives no labels wants the query as it is written.
  const scope = match ?? (Object.keys(query.labels).length === 0 ? [] : null);
  const tried = await tryQuery(c.get("services"), definition, { ...query, match: scope }, c.req.raw.signal);
  switch (tried.state) {
    case "invalid":
      throw refused("query", ...tried.problems.map(({ line, message }) => `line ${line}: ${message}`));
    case "unscoped":
      throw refused("labels", tried.reason);
    case "ran":
      return c.json({ source: definition.name, language: own, ...renderTried(tried) }, 200);
  }
});

function refused(field: string, ...messages: readonly string[]): Problem {
  const errors = messages.map((message) => ({ field, message }));
  const [first = ""] = messages;
  return new Problem("invalid-request", `Nothing was sent to the source. ${field}: ${first}`, { errors });
}

function renderTried({ shown, result, failure, judgement, link, checkedAt, latencyMs }: TriedResult) {
  return {
    query: shown,
    result: result && renderResult(result),
    failure,
    verdict: judgement?.verdict ?? null,
    statement: judgement?.statement ?? null,
    rule: judgement?.rule ?? null,
    value: judgement?.value ?? null,
    link,
    checked_at: checkedAt.toISOString(),
    latency_ms: latencyMs,
  };
}

/** The result as JSON, which has neither NaN nor infinite numbers. */
function renderResult(result: QueryResult): z.infer<typeof resultSchema> {
  switch (result.kind) {
    case "series": {
      const series = result.series.map(({ labels, points }) => ({
        labels: { ...labels },
        points: points.map(([time, value]): [number, z.infer<typeof shownNumber>] => [time / 1_000, shown(value)]),
      }));
      return { kind: "series", series };
    }
    case "lines":
      return { kind: "lines", lines: result.lines.map((line) => ({ ...line, time: line.time.toISOString() })) };
    case "rows":
      return { kind: "rows", columns: [...result.columns], rows: result.rows.map((row) => [...row]) };
    case "objects":
      return { kind: "objects", objects: [...result.objects] };
    case "too_large":
      return result;
  }
}

function shown(value: number): z.infer<typeof shownNumber> {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return value;
  return value > 0 ? "+Inf" : "-Inf";
}
