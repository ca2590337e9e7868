// HTTP API of the local trace collector: OpenTelemetry spans, and ratings as Phoenix annotations.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { decodeSpans } from "./otlp.ts";
import { annotationSchema, type ReceivedSpan } from "./trace-record.ts";
import type { TraceStore } from "./trace-store.ts";

/** A trace of Dejavu has about 100 KB and at most 4 MB. */
const MAX_BODY_BYTES = 16_777_216;
const PROTOBUF = "application/x-protobuf";

const annotationsSchema = z.object({ data: z.array(annotationSchema).min(1).max(1_000) });

export function createCollectorApp(store: TraceStore): Hono {
  const app = new Hono();
  app.get("/health", (c) => c.json({ status: "ok", traces: store.list().length }));
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES }));

  app.post("/v1/traces", async (c) => {
    if (!c.req.header("content-type")?.startsWith(PROTOBUF))
      return c.json({ message: `The body must be ${PROTOBUF}.` }, 415);
    let spans: ReceivedSpan[];
    try {
      spans = decodeSpans(new Uint8Array(await c.req.arrayBuffer()));
    } catch {
      return c.json({ message: "The body is not a valid ExportTraceServiceRequest." }, 400);
    }
    const rejectedSpans = store.add(spans);
    return c.body(responseOf(rejectedSpans), 200, { "content-type": PROTOBUF });
  });

  app.post("/v1/span_annotations", async (c) => {
    const body = annotationsSchema.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return c.json({ detail: z.prettifyError(body.error) }, 422);
    const unknown = body.data.data.filter((annotation) => !store.annotate(annotation));
    // As in Phoenix: unknown spans are an error only when the caller waits for the result.
    if (unknown.length > 0 && c.req.query("sync") === "true")
      return c.json(
        { detail: `Spans with IDs ${unknown.map(({ span_id }) => span_id).join(", ")} do not exist.` },
        404,
      );
    return c.json({ data: body.data.data.map((_, i) => ({ id: String(i) })) });
  });
  return app;
}

/** An encoded ExportTraceServiceResponse: empty, or a partial success with the number of rejected spans. */
function responseOf(rejectedSpans: number): Uint8Array<ArrayBuffer> {
  if (rejectedSpans === 0) return new Uint8Array();
  const digits: number[] = [];
  for (let rest = rejectedSpans; rest > 0; rest = Math.floor(rest / 128)) digits.push((rest % 128) + 128);
  const varint = digits.map((digit, i) => (i === digits.length - 1 ? digit - 128 : digit));
  return Uint8Array.from([0x0a, varint.length + 1, 0x08, ...varint]);
}
