// Text view of a trace for a terminal: the tree of its steps with their times and results. Pure functions.

import { styleText } from "node:util";
import { z } from "zod";
import {
  type Annotation,
  attribute,
  type ReceivedSpan,
  rootOf,
  type TraceRecord,
} from "../dev/collector/trace-record.ts";
import type { RenderOptions } from "./render-options.ts";
import { oneLine, pad, renderTable } from "./table.ts";

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const KIND = "openinference.span.kind";
const COLORS: Readonly<Record<string, Style>> = {
  GUARDRAIL: "yellow",
  RETRIEVER: "blue",
  RERANKER: "cyan",
  EMBEDDING: "gray",
  LLM: "magenta",
};
/** Widths in columns. */
const NAME_WIDTH = 30;
const KIND_WIDTH = 9;
const TIME_WIDTH = 10;
const MIN_BAR_WIDTH = 10;
/** Characters of a shortened id. */
const SHORT_ID = 8;
/** Documents of one search that are listed. */
const MAX_DOCUMENTS = 5;

export function renderTrace(trace: TraceRecord, { width, color }: RenderOptions): string {
  const paint: Paint = (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
  const root = rootOf(trace);
  if (root === undefined) return `Trace ${trace.traceId} has no spans.`;
  const ends = trace.spans.map(({ end }) => end);
  const scale = { from: root.start, to: Math.max(root.start + 1, ...ends) };
  const barWidth = width - NAME_WIDTH - KIND_WIDTH - TIME_WIDTH - 3;
  const lineOf = (span: ReceivedSpan, stem: string): string => {
    const name = pad(`${stem}${span.name}`, NAME_WIDTH);
    const kind = attribute(span, KIND);
    const time = pad(`${milliseconds(span.end - span.start)}`.padStart(TIME_WIDTH - 1), TIME_WIDTH);
    const bar = barWidth < MIN_BAR_WIDTH ? "" : barOf(span, scale, barWidth);
    const shown = span.status === "error" ? paint("red", name) : name;
    return `${shown} ${paint(COLORS[kind] ?? "dim", pad(kind, KIND_WIDTH))} ${time} ${paint("dim", bar)}`.trimEnd();
  };
  const lines: string[] = [];
  const show = (span: ReceivedSpan, stem: string, below: string) => {
    const children = childrenOf(trace, span);
    lines.push(lineOf(span, stem));
    const margin = `${below}${children.length > 0 ? "│" : " "}   `;
    for (const { text, style } of detailsOf(span, trace.annotations))
      lines.push(`${paint("dim", margin)}${paint(style, cut(text, width - margin.length))}`);
    for (const [i, child] of children.entries()) {
      const isLast = i === children.length - 1;
      show(child, `${below}${isLast ? "└─" : "├─"} `, `${below}${isLast ? "  " : "│ "} `);
    }
  };
  show(root, "", "");
  // Spans whose parent was not received.
  for (const span of trace.spans) if (span !== root && isOrphan(trace, span)) show(span, "? ", "  ");
  return [...header(trace, root, paint), "", ...lines].join("\n");
}

/** A table with one line for each trace. */
export function renderTraceList(traces: readonly TraceRecord[], options: RenderOptions): string {
  const rows = traces.flatMap((trace) => {
    const root = rootOf(trace);
    if (root === undefined) return [];
    return [
      [
        timeOf(root.start).slice("2026-".length),
        root.name,
        milliseconds(root.end - root.start).trim(),
        root.status === "error" ? "failed" : attribute(root, "dejavu.outcome") || attribute(root, "dejavu.state"),
        attribute(root, "dejavu.confidence.final"),
        String(trace.spans.length),
        ratingsOf(trace.annotations),
        attribute(root, "dejavu.incident_id").slice(0, SHORT_ID),
        oneLine(attribute(root, "input.value")),
      ],
    ];
  });
  const columns = ["when", "what", "took", "outcome", "conf.", "spans", "ratings", "incident", "of"];
  return renderTable(columns, rows, options);
}

function header(trace: TraceRecord, root: ReceivedSpan, paint: Paint): string[] {
  const ids = [
    `trace ${trace.traceId}`,
    ...idOf(root, "dejavu.incident_id", "incident"),
    ...idOf(root, "dejavu.triage_id", "triage"),
  ];
  const project = String(root.resource["openinference.project.name"] ?? "");
  return [
    paint("bold", oneLine(attribute(root, "input.value").split("\n", 1)[0] ?? "") || root.name),
    paint("dim", ids.join(" · ")),
    paint("dim", [timeOf(root.start), project, `${trace.spans.length} spans`].filter(Boolean).join(" · ")),
  ];
}

function idOf(root: ReceivedSpan, name: string, word: string): string[] {
  const id = attribute(root, name);
  return id === "" ? [] : [`${word} ${id}`];
}

interface Detail {
  readonly text: string;
  readonly style: Style;
}

function detailsOf(span: ReceivedSpan, annotations: readonly Annotation[]): Detail[] {
  const plain = detailTexts(span).map((text): Detail => ({ text: oneLine(text), style: "dim" }));
  const failure: Detail[] = span.status === "error" ? [{ text: oneLine(span.statusMessage), style: "red" }] : [];
  const ratings = annotations
    .filter(({ span_id }) => span_id === span.spanId)
    .map(({ name, annotator_kind, result }): Detail => {
      const values = [result?.label, result?.score, result?.explanation].filter((value) => value != null);
      return { text: oneLine(`${annotator_kind.toLowerCase()} ${name}: ${values.join(", ")}`), style: "green" };
    });
  return [...failure, ...plain, ...ratings];
}

function detailTexts(span: ReceivedSpan): string[] {
  const of = (name: string) => attribute(span, name);
  switch (of(KIND)) {
    case "GUARDRAIL":
      return joined([
        ...counts(span, "dejavu.redacted.", "redacted"),
        ...figures(span, ["lines_removed", "citations_removed", "links_removed", "statements_removed"]),
        of("dejavu.injection_blocked") && `blocked: ${of("dejavu.injection_blocked")}`,
      ]);
    case "RETRIEVER":
      return [
        ...joined([
          `${of("dejavu.hits")} found`,
          listOf(span, "dejavu.missing") && `without ${listOf(span, "dejavu.missing")}`,
        ]),
        ...documentsOf(span, "retrieval.documents"),
      ];
    case "RERANKER":
      return [of("reranker.model_name"), ...documentsOf(span, "reranker.output_documents")];
    case "EMBEDDING":
      return [`"${oneLine(of("embedding.embeddings.0.embedding.text"))}"`];
    case "LLM":
      return joined([
        of("llm.model_name"),
        `${of("llm.token_count.prompt")} tokens read (${of("llm.token_count.prompt_details.cache_read")} cached)`,
        `${of("llm.token_count.completion")} written`,
        of("llm.cost.total") && `$${Number(of("llm.cost.total")).toFixed(5)}`,
        Number(of("dejavu.attempt")) > 1 && `attempt ${of("dejavu.attempt")}`,
      ]);
    default:
      return joined([
        of("dejavu.domain") && `${of("dejavu.domain")} (${of("dejavu.domain_rule")})`,
        of("dejavu.outcome") && `${of("dejavu.outcome")} by ${of("dejavu.mode")}`,
        confidenceOf(span),
        listOf(span, "dejavu.warnings") && `warnings ${listOf(span, "dejavu.warnings")}`,
        of("dejavu.persisted") === "false" && "not stored",
        of("dejavu.persisted") === "pending" && "stored when the database is back",
        of("dejavu.collections") && `to ${of("dejavu.collections")}`,
        of("dejavu.indexed") === "false" && "left to the outbox",
      ]);
  }
}

function confidenceOf(span: ReceivedSpan): string {
  const [first, last] = [attribute(span, "dejavu.confidence.initial"), attribute(span, "dejavu.confidence.final")];
  if (last === "") return "";
  return attribute(span, "dejavu.reflected") === "true"
    ? `confidence ${first} → ${last}, reflected`
    : `confidence ${last}`;
}

/** The non-empty texts joined to one line; no line when all are empty. */
function joined(texts: readonly (string | false)[]): string[] {
  const shown = texts.filter((text) => text !== false && text !== "");
  return shown.length === 0 ? [] : [shown.join(" · ")];
}

function counts({ attributes }: ReceivedSpan, prefix: string, word: string): string[] {
  const matches = Object.entries(attributes).filter(([name]) => name.startsWith(prefix));
  return matches.length === 0
    ? []
    : [`${word} ${matches.map(([name, count]) => `${count} ${name.slice(prefix.length)}`).join(", ")}`];
}

function figures(span: ReceivedSpan, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const figure = Number(attribute(span, `dejavu.${name}`));
    return figure > 0 ? [`${figure} ${name.replaceAll("_", " ")}`] : [];
  });
}

function listOf({ attributes }: ReceivedSpan, name: string): string {
  const value = attributes[name];
  return Array.isArray(value) ? value.join(", ") : "";
}

const metadataSchema = z.object({
  kind: z.string().optional(),
  title: z.string().optional(),
  source: z.string().nullish(),
  heading: z.string().optional(),
  place_before: z.number().optional(),
});

function documentsOf(span: ReceivedSpan, list: string): string[] {
  const lines: string[] = [];
  for (let i = 0; attribute(span, `${list}.${i}.document.id`) !== ""; i++) {
    const prefix = `${list}.${i}.document`;
    const metadata = metadataSchema.safeParse(parseJson(attribute(span, `${prefix}.metadata`))).data ?? {};
    const name = [metadata.source ?? metadata.title, metadata.heading].filter(Boolean).join(" › ");
    const earlierRank = metadata.place_before === undefined ? "" : ` (was ${metadata.place_before})`;
    const kind = metadata.kind === "runbook" || metadata.kind === undefined ? "" : `${metadata.kind} `;
    const score = Number(attribute(span, `${prefix}.score`)).toFixed(3);
    lines.push(`${i + 1}. ${score}  ${kind}${name || attribute(span, `${prefix}.id`)}${earlierRank}`);
  }
  const more = Math.max(lines.length, Number(attribute(span, "dejavu.hits"))) - MAX_DOCUMENTS;
  return more > 0 ? [...lines.slice(0, MAX_DOCUMENTS), `   and ${more} more`] : lines;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** By start time; spans with the same start stay in the order received. */
function childrenOf({ spans }: TraceRecord, parent: ReceivedSpan): ReceivedSpan[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).sort((a, b) => a.start - b.start);
}

function isOrphan({ spans }: TraceRecord, { parentSpanId }: ReceivedSpan): boolean {
  return parentSpanId === null || spans.every(({ spanId }) => spanId !== parentSpanId);
}

function barOf(
  span: ReceivedSpan,
  { from, to }: { readonly from: number; readonly to: number },
  width: number,
): string {
  const column = (time: number) => Math.round(((time - from) / (to - from)) * width);
  const start = Math.min(width - 1, Math.max(0, column(span.start)));
  return " ".repeat(start) + "▆".repeat(Math.max(1, column(span.end) - start));
}

function milliseconds(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

function ratingsOf(annotations: readonly Annotation[]): string {
  return annotations.map(({ result }) => result?.label ?? result?.score ?? "?").join(", ");
}

function cut(text: string, width: number): string {
  return pad(text, Math.max(20, width)).trimEnd();
}
