// Text view of a trace for a terminal: the tree of its steps with their times and results. Pure functions.

import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
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
const MIN_WIDTH = 20;
/** Characters of a shortened id. */
const SHORT_ID = 8;
/** What is shown of a step; the header has the ids, and the list of documents the rest. */
const SHOWN =
  /^(?:dejavu\.(?!(?:incident|triage|run)_id)|llm\.(?:model_name|token_count|cost\.total)|reranker\.model_name)/;
const NAMESPACE = /^(?:dejavu|llm|reranker)\./;
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
      for (const line of wrapAnsi(text, Math.max(MIN_WIDTH, width - margin.length)).split("\n"))
        lines.push(`${paint("dim", margin)}${paint(style, line)}`);
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
  const facts = Object.entries(span.attributes)
    .filter(([name]) => SHOWN.test(name))
    .map(([name, value]) => `${name.replace(NAMESPACE, "")} ${Array.isArray(value) ? value.join(", ") : value}`);
  const text = attribute(span, "embedding.embeddings.0.embedding.text");
  return [
    ...(facts.length === 0 ? [] : [facts.join(" · ")]),
    ...(text === "" ? [] : [`"${text}"`]),
    ...documentsOf(span, "retrieval.documents"),
    ...documentsOf(span, "reranker.output_documents"),
  ];
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
