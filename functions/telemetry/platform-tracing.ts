// Owns how spans are told to the platform, which records its own fetches below them. Written against the part of its
// interface that is used here: elsewhere than on Workers there is none.

import { exportable, exportableText, type Hiding } from "./exportable-attributes.ts";
import { SemanticConventions } from "./openinference.ts";
import type { PlatformSpan, Recording, SpanKind } from "./trace-types.ts";

export function recordOnPlatform(span: PlatformSpan, kind: SpanKind, hiding: Hiding): Recording {
  return {
    ids: idsOf(span),
    end({ attributes, failure }) {
      const told = { [SemanticConventions.OPENINFERENCE_SPAN_KIND]: kind, ...attributes() };
      // It knows no lists.
      const leaving = Object.entries(exportable(told, hiding)).map(
        ([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : value] as const,
      );
      span.setAttributes(Object.fromEntries(leaving));
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
