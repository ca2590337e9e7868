// Records spans with the platform's tracing, which adds the Worker's own fetches below them. Uses a part of the
// interface that exists on Workers only.

import { exportable, exportableText, type Hiding } from "./exportable-attributes.ts";
import { SemanticConventions } from "./openinference.ts";
import type { PlatformSpan, Recording, SpanKind } from "./trace-types.ts";

export function recordOnPlatform(span: PlatformSpan, kind: SpanKind, hiding: Hiding): Recording {
  return {
    ids: idsOf(span),
    end({ attributes, failure }) {
      const attributesWithKind = { [SemanticConventions.OPENINFERENCE_SPAN_KIND]: kind, ...attributes() };
      // The platform does not support lists.
      const exported = Object.entries(exportable(attributesWithKind, hiding)).map(
        ([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : value] as const,
      );
      span.setAttributes(Object.fromEntries(exported));
      if (failure === undefined) {
        span.setStatus({ code: "ok" });
        return;
      }
      const { "exception.message": message } = exportable({ "exception.message": failure.message }, hiding);
      const exception = { name: exportableText(failure.type), message: String(message) };
      span.recordException(exception);
      span.setStatus({ code: "error", message: `${exception.name}: ${exception.message}` });
    },
  };
}

function idsOf(span: PlatformSpan): Recording["ids"] {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}
