// Stored form of a trace: its spans as received, and the annotations of people.

import { z } from "zod";

const valueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const spanSchema = z.object({
  /** Hexadecimal. */
  traceId: z.string(),
  spanId: z.string(),
  /** Null for the root span. */
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
  /** Attributes of the sender: `service.name`, `openinference.project.name`. */
  resource: z.record(z.string(), valueSchema),
});

/** An annotation as in the API of Phoenix. */
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
  /** An annotation with the same span, name and identifier replaces the earlier one. */
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

/** The first span without a parent, or whose parent was not received. */
export function rootOf({ spans }: TraceRecord): ReceivedSpan | undefined {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans.find(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId));
}

/** An attribute as text. Empty when it is missing. */
export function attribute({ attributes }: Pick<ReceivedSpan, "attributes">, name: string): string {
  return String(attributes[name] ?? "");
}
