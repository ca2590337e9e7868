// Span exporter for collectors with OTLP over HTTP. It uses Protocol Buffers, because Phoenix does not accept JSON. The
// only file that knows OpenTelemetry.

import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import { fetchDirect } from "./http/fetch-direct.ts";
import { failureOf, parseJson, readBytes } from "./http/http-response.ts";
import type { FinishedSpan, SpanExporter } from "./span-exporter.ts";

export interface OtlpExporterOptions {
  /** `/v1/traces` is added. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For one batch, the retry included. */
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  readonly serviceVersion: string;
}

type ReadableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];
type Resource = ReadableSpan["resource"];

const PROTOBUF = "application/x-protobuf";
/** A response to a batch has a few bytes. */
const MAX_RESPONSE_BYTES = 65_536;
/** Constants of OpenTelemetry. */
const STATUS = { ok: 1, error: 2 };
const INTERNAL = 0;
const SAMPLED = 1;

/** Protocol Buffers' JSON writes 64-bit integers as strings. Without this field all spans were accepted. */
const rejectedSpans = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.int().min(0));
const jsonResponseSchema = z.object({ partialSuccess: z.object({ rejectedSpans: rejectedSpans.nullish() }).nullish() });

export function createOtlpExporter(options: OtlpExporterOptions): SpanExporter {
  const url = `${options.endpoint.replace(/(?<!\/)\/+$/, "")}/v1/traces`;
  const headers = { ...options.headers, "content-type": PROTOBUF };
  const { timeoutMs, startTimer } = options;
  const call = { dependency: "trace_collector", timeoutMs, startTimer, retries: 1 } as const;
  const scope = { name: "dejavu", version: options.serviceVersion };
  return {
    async send(spans, project) {
      const resource = resourceOf({
        "service.name": "dejavu",
        "service.version": options.serviceVersion,
        "openinference.project.name": project,
      });
      const body = ProtobufTraceSerializer.serializeRequest(
        spans.map((span) => readableSpan(span, { resource, scope })),
      );
      if (body === undefined) return spans.length;
      return callDependency(call, async (signal) => {
        const response = await fetchDirect(url, { method: "POST", headers, body, signal });
        if (!response.ok) {
          await response.body?.cancel();
          throw failureOf("trace_collector", response);
        }
        return rejectedBy(response);
      });
    },
  };
}

/**
 * The number of rejected spans. Collectors answer in Protocol Buffers, Phoenix in JSON, some with an empty body. An HTML
 * page comes from no collector. @throws DependencyError for another format
 */
async function rejectedBy(response: Response): Promise<number> {
  const type = response.headers.get("content-type") ?? "";
  const bytes = await readBytes(response, MAX_RESPONSE_BYTES);
  if (bytes.length === 0) return 0;
  if (type.startsWith("application/json")) {
    const parsed = jsonResponseSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
    return parsed.success ? (parsed.data.partialSuccess?.rejectedSpans ?? 0) : 0;
  }
  const invalidResponse = (cause?: unknown) =>
    new DependencyError("trace_collector", "invalid_response", "the response is not in the protocol's format", {
      cause,
    });
  if (!type.startsWith(PROTOBUF)) throw invalidResponse();
  try {
    return Number(ProtobufTraceSerializer.deserializeResponse(bytes).partialSuccess?.rejectedSpans ?? 0);
  } catch (error) {
    throw invalidResponse(error);
  }
}

function readableSpan(
  span: FinishedSpan,
  origin: Pick<ReadableSpan, "resource"> & { readonly scope: ReadableSpan["instrumentationScope"] },
): ReadableSpan {
  const { traceId, parentSpanId, failure } = span;
  const context = (spanId: string) => ({ traceId, spanId, traceFlags: SAMPLED });
  const [startTime, endTime] = [timeOf(span.startedAt), timeOf(span.endedAt)];
  return {
    name: span.name,
    kind: INTERNAL,
    spanContext: () => context(span.spanId),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: context(parentSpanId) }),
    startTime,
    endTime,
    duration: [0, 0],
    ended: true,
    status: failure ? { code: STATUS.error, message: `${failure.type}: ${failure.message}` } : { code: STATUS.ok },
    attributes: Object.fromEntries(
      Object.entries(span.attributes).map(([name, value]) => [name, typeof value === "object" ? [...value] : value]),
    ),
    links: [],
    events: failure ? [{ name: "exception", time: endTime, attributes: exceptionOf(failure) }] : [],
    resource: origin.resource,
    instrumentationScope: origin.scope,
    droppedAttributesCount: span.droppedAttributes,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function exceptionOf({ type, message }: NonNullable<FinishedSpan["failure"]>) {
  return { "exception.type": type, "exception.message": message };
}

/** Seconds and nanoseconds. */
function timeOf(date: Date): [number, number] {
  const milliseconds = date.getTime();
  return [Math.floor(milliseconds / 1_000), (milliseconds % 1_000) * 1_000_000];
}

/** The serialiser reads the attributes only; `merge` belongs to the SDK, which is not used. */
function resourceOf(attributes: Resource["attributes"]): Resource {
  const resource: Resource = { attributes, merge: (other) => other ?? resource, getRawAttributes: () => [] };
  return resource;
}
