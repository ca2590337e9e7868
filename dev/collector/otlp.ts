// Decoder of OTLP spans in Protocol Buffers.

import protobuf from "protobufjs";
import { z } from "zod";
import type { ReceivedSpan } from "./trace-record.ts";

/** The messages and fields of opentelemetry-proto that are used, from trace_service, trace, resource and common. */
const PROTO = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  message Event { string name = 2; repeated KeyValue attributes = 3; }
  message Status { string message = 2; uint32 code = 3; }
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  uint32 dropped_attributes_count = 10;
  repeated Event events = 11;
  Status status = 15;
}
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1;
    bool bool_value = 2;
    int64 int_value = 3;
    double double_value = 4;
    ArrayValue array_value = 5;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
`;

const requestType = protobuf.parse(PROTO).root.lookupType("ExportTraceServiceRequest");

const anyValueSchema = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z
    .object({ arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })) }) })
    .transform(({ arrayValue }) => arrayValue.values.map(({ stringValue }) => stringValue)),
  // Other kinds of values: Dejavu sends none.
  z.unknown().transform(() => ""),
]);
const attributesSchema = z
  .array(z.object({ key: z.string(), value: anyValueSchema.optional() }))
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value = "" }) => [key, value])));
const hexSchema = z.base64().transform((text) => Buffer.from(text, "base64").toString("hex"));
const idSchema = (bytes: number) => hexSchema.refine((id) => id.length === 2 * bytes, `must have ${bytes} bytes`);
/** Decimal nanoseconds to milliseconds. */
const timeSchema = z.string().transform((nanoseconds) => Number(BigInt(nanoseconds) / 1_000n) / 1_000);
const STATUS = ["unset", "ok", "error"] as const;

const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }).nullable(),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: idSchema(16),
              spanId: idSchema(8),
              parentSpanId: hexSchema,
              name: z.string(),
              startTimeUnixNano: timeSchema,
              endTimeUnixNano: timeSchema,
              attributes: attributesSchema,
              droppedAttributesCount: z.number(),
              events: z.array(z.object({ name: z.string(), attributes: attributesSchema })),
              status: z.object({ message: z.string(), code: z.number() }).nullable(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** @throws Error when the body is not a valid ExportTraceServiceRequest */
export function decodeSpans(body: Uint8Array): ReceivedSpan[] {
  const options = { longs: String, bytes: String, defaults: true, oneofs: false };
  const plain = requestType.toObject(requestType.decode(body), options);
  const { resourceSpans } = requestSchema.parse(plain);
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || null,
        name: span.name,
        start: span.startTimeUnixNano,
        end: span.endTimeUnixNano,
        status: STATUS[span.status?.code ?? 0] ?? "unset",
        statusMessage: span.status?.message ?? "",
        attributes: span.attributes,
        droppedAttributes: span.droppedAttributesCount,
        events: span.events,
        resource: resource?.attributes ?? {},
      })),
    ),
  );
}
