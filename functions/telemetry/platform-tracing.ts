// Owns how spans are told to the platform, which records its own fetches below them. Written against the part of its
// interface that is used here: elsewhere than on Workers there is none.

import { exportable, exportableText, type Hiding } from "./exportable-attributes.ts";
import { SemanticConventions } from "./openinference.ts";
import type { Recording, SpanKind } from "./span.ts";

export interface PlatformSpan {
  /** Whether this request's spans are recorded; false as well where tracing is off. */
  readonly isTraced: boolean;
  spanContext(): { readonly traceId: string; readonly spanId: string };
  setAttributes(attributes: Record<string, string | number | boolean>): unknown;
  recordException(exception: { readonly name: string; readonly message: string }): void;
  setStatus(status: { readonly code: "ok" | "error"; readonly message?: string }): unknown;
}

export interface PlatformTracing {
  /** Runs work in a new span below the open one. The span ends when what work returns has settled. */
  enterSpan<T>(name: string, work: (span: PlatformSpan) => T): T;
}

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
