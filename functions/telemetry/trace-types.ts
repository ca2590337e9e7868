// Types of spans, their recorders and the platform's tracing.

import type { Traffic } from "../schemas/traffic.ts";
import type { Hiding } from "./exportable-attributes.ts";
import type { Attributes } from "./openinference.ts";

export type SpanKind = "CHAIN" | "GUARDRAIL" | "RETRIEVER" | "RERANKER" | "EMBEDDING" | "LLM";

export interface SpanIds {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span {
  /**
   * Says what the step did. The function is called once the span has ended, and only where somebody records, so it must
   * see nothing that changes after that. Null takes back what was said before.
   */
  set(attributes: () => Attributes): void;
  /** Marks a failure that the step goes on from; an error that leaves it marks the span by itself. */
  fail(type: string, message: string): void;
}

export interface Ended {
  /** All that the step said, what was said last over what was said before. Never throws. */
  readonly attributes: () => Attributes;
  readonly failure: { readonly type: string; readonly message: string } | undefined;
}

/** One span in one place where it is recorded. */
export interface Recording {
  readonly ids: SpanIds;
  end(ended: Ended): void;
}

/** Keeps the spans of one trace, and sends them. */
export interface Recorder {
  /** Null where the trace holds as many as it may. */
  open(kind: SpanKind, name: string, parent: SpanIds | undefined): Recording | null;
}

export interface Tracer {
  readonly hiding: Hiding;
  /** Null where nothing but the platform records. */
  startTrace(traffic: Traffic, runInBackground: RunInBackground): Recorder | null;
}

export type RunInBackground = (work: Promise<unknown>) => void;

export interface Trace {
  readonly hiding: Hiding;
  readonly recorder: Recorder | null;
  readonly platform: PlatformTracing | undefined;
}

/** A span that is open, for those below it. */
export interface OpenSpan {
  readonly trace: Trace;
  readonly ids: SpanIds;
  /** Those of the trace's first span. */
  readonly root: SpanIds;
}

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
