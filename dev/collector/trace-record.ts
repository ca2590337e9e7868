// Owns how the local collector keeps a trace: its spans as they came, and what people said of them.

import { z } from "zod";

const valueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const spanSchema = z.object({
  /** Hexadecimal digits. */
  traceId: z.string(),
  spanId: z.string(),
  /** Null for the first of a trace. */
  parentSpanId: z.string().nullable(),
  name: z.string(),
  /** Milliseconds since 1970. */
  start: z.number(),
  end: z.number(),
  status: z.enum(["unset", "ok", "error"]),
  statusMessage: z.string(),
  attributes: z.record(z.string(), valueSchema),
  droppedAttributes: z.number(),
  events: z.array(z.object({ name: z.string(), attributes: z.record(z.string(), valueSchema) })),
  /** Of whoever sent it: `service.name`, `openinference.project.name`. */
  resource: z.record(z.string(), valueSchema),
});

/** As Phoenix takes it. */
export const annotationSchema = z.object({
  span_id: z.string().min(1),
  name: z.string().min(1),
  annotator_kind: z.enum(["HUMAN", "LLM", "CODE"]),
  result: z
    .object({
      label: z.string().nullish(),
      score: z.number().nullish(),
      explanation: z.string().nullish(),
    })
    .nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  /** One of the same name and identifier takes the place of the former. */
  identifier: z.string().nullish(),
});

export const traceSchema = z.object({
  traceId: z.string(),
  /** Milliseconds since 1970. */
  receivedAt: z.number(),
  spans: z.array(spanSchema),
  annotations: z.array(annotationSchema),
});

export type ReceivedSpan = z.infer<typeof spanSchema>;
export type Annotation = z.infer<typeof annotationSchema>;
export type TraceRecord = z.infer<typeof traceSchema>;

/** The span that has no parent, or whose parent never came. */
export function rootOf({ spans }: TraceRecord): ReceivedSpan | undefined {
  const known = new Set(spans.map(({ spanId }) => spanId));
  return spans.find(({ parentSpanId }) => parentSpanId === null || !known.has(parentSpanId));
}

/** An attribute as text; empty where there is none. */
export function attribute({ attributes }: Pick<ReceivedSpan, "attributes">, name: string): string {
  return String(attributes[name] ?? "");
}
