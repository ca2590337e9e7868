// Sources of evidence and results of queries, for people. Pure functions.

import { z } from "zod";
import { displayText } from "../../lib/text/display-text.ts";
import type { RenderOptions } from "../render-options.ts";
import { renderTable } from "../table.ts";

export const sourceSchema = z.object({
  name: z.string(),
  kind: z.string(),
  url: z.string(),
  credential: z.string().nullable(),
  credential_exists: z.boolean().nullable(),
  labels: z.record(z.string(), z.array(z.string())),
  domains: z.array(z.string()),
  defined_by: z.string(),
  health: z
    .object({
      status: z.string(),
      reason: z.string().nullable(),
      detail: z.string().nullable(),
      version: z.string().nullable(),
      latency_ms: z.number(),
    })
    .nullable(),
});
type Source = z.infer<typeof sourceSchema>;

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const labels = z.record(z.string(), z.string());
const resultSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("series"),
    series: z.array(z.object({ labels, points: z.array(z.tuple([z.number(), z.union([z.number(), z.string()])])) })),
  }),
  z.object({ kind: z.literal("lines"), lines: z.array(z.object({ time: z.string(), labels, text: z.string() })) }),
  z.object({ kind: z.literal("rows"), columns: z.array(z.string()), rows: z.array(z.array(cell)) }),
  z.object({ kind: z.literal("objects"), objects: z.array(z.unknown()) }),
  z.object({ kind: z.literal("too_large"), size: z.string(), hint: z.string() }),
]);
export const triedSchema = z.object({
  source: z.string(),
  query: z.string(),
  result: resultSchema.nullable(),
  failure: z.object({ code: z.string(), detail: z.string() }).nullable(),
  verdict: z.string().nullable(),
  statement: z.string().nullable(),
  rule: z.string().nullable(),
  value: z.string().nullable(),
  link: z.string().nullable(),
  latency_ms: z.number(),
});
type Tried = z.infer<typeof triedSchema>;
type Result = NonNullable<Tried["result"]>;

const NO_SOURCES = "There are no sources of evidence. Define one with: dejavu sources put --help";

export function renderSources(sources: readonly Source[], size: RenderOptions): string {
  if (sources.length === 0) return NO_SOURCES;
  const rows = sources.map((source) => [
    source.name,
    source.kind,
    healthOf(source),
    servedBy(source),
    source.defined_by,
    source.url,
  ]);
  const header = ["name", "kind", "health", "serves", "defined by", "address"];
  const table = renderTable(header, rows, { ...size, whole: ["name"], optional: ["defined by"] });
  const failing = sources.flatMap(({ name, health }) =>
    health?.detail ? [displayText(`${name}: ${health.detail}.`)] : [],
  );
  return [table, ...(failing.length === 0 ? [] : ["", ...failing])].join("\n");
}

function healthOf({ health, credential_exists }: Source): string {
  if (health === null) return credential_exists === false ? "no credential" : "-";
  if (health.status !== "ok") return `failing: ${health.reason}`;
  return `ok, ${health.version === null ? "" : `${health.version}, `}${health.latency_ms} ms`;
}

function servedBy({ labels, domains }: Source): string {
  const conditions = Object.entries(labels).map(([name, values]) => `${name}=${values.join("|")}`);
  const parts = [...conditions, ...(domains.length === 0 ? [] : [`domains ${domains.join("|")}`])];
  return parts.length === 0 ? "all" : parts.join(", ");
}

/** The verdict, the query as it was sent, and the result. */
export function renderTried(tried: Tried, size: RenderOptions): string {
  const { failure, result, query, source, link, latency_ms } = tried;
  const outcome = failure ? [`Failed (${failure.code}): ${failure.detail}.`] : result ? linesOf(result, size) : [];
  const lines = [
    ...verdictLines(tried),
    `${source}, ${latency_ms} ms:`,
    ...query.split("\n").map((line) => `  ${line}`),
    "",
    ...outcome,
    ...(link === null ? [] : ["", `Open it: ${link}`]),
  ];
  return displayText(lines.join("\n"));
}

function verdictLines({ verdict, statement, value, rule }: Tried): string[] {
  if (verdict === null) return [];
  const facts = [rule, value === null ? null : `value ${value}`].filter((each) => each !== null).join("; ");
  const head = [verdict, ...(facts === "" ? [] : [`(${facts})`])].join(" ");
  return [statement ? `${head}: ${statement}` : head, ""];
}

function linesOf(result: Result, size: RenderOptions): string[] {
  switch (result.kind) {
    case "series":
      return table(
        ["value", "labels"],
        result.series.map(({ labels, points }) => [String(points.at(-1)?.[1] ?? "-"), labelText(labels)]),
        size,
      );
    case "lines":
      return table(
        ["time", "labels", "line"],
        result.lines.map(({ time, labels, text }) => [time, labelText(labels), text]),
        size,
      );
    case "rows":
      return table(
        result.columns,
        result.rows.map((row) => row.map((each) => (each === null ? "-" : String(each)))),
        size,
      );
    case "objects":
      return result.objects.length === 0 ? ["No data."] : [JSON.stringify(result.objects, null, 2)];
    case "too_large":
      return [`The result is too large: ${result.size}. ${result.hint}`];
  }
}

function table(header: readonly string[], rows: readonly (readonly string[])[], size: RenderOptions): string[] {
  return rows.length === 0 ? ["No data."] : renderTable(header, rows, size).split("\n");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? "-" : pairs.join(" ");
}
