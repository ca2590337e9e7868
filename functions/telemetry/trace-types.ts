// Types of spans, their recorders and the platform's tracing.

import type { RunInBackground } from "../background-tasks.ts";
import type { Traffic } from "../schemas/traffic.ts";
import type { ExportRules } from "./exportable-attributes.ts";
import type { Attributes } from "./openinference.ts";

export type SpanKind = "CHAIN" | "GUARDRAIL" | "RETRIEVER" | "RERANKER" | "EMBEDDING" | "LLM";

export interface SpanIds {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span {
  /**
   * Sets attributes. The function is called after the span has ended, and only when spans are recorded, so it must not
   * read anything that changes later. Null removes an attribute.
   */
  set(attributes: () => Attributes): void;
  /** Marks a failure that the step recovers from; an error that leaves the step marks the span by itself. */
  fail(type: string, message: string): void;
}

export interface Ended {
  /** All attributes, later ones over earlier ones. Never throws. */
  readonly attributes: () => Attributes;
  readonly failure: { readonly type: string; readonly message: string } | undefined;
}

/** One span at one recorder. */
export interface Recording {
  readonly ids: SpanIds;
  end(ended: Ended): void;
}

/** Collects the spans of one trace and sends them. */
export interface Recorder {
  /** Null when the trace has reached its limit. */
  open(kind: SpanKind, name: string, parent: SpanIds | undefined): Recording | null;
}

export interface Tracer {
  readonly exportRules: ExportRules;
  /** Null when only the platform records. */
  startTrace(traffic: Traffic, runInBackground: RunInBackground): Recorder | null;
}

export interface Trace {
  readonly exportRules: ExportRules;
  readonly recorder: Recorder | null;
  readonly platform: PlatformTracing | undefined;
}

/** An open span, as the parent of others. */
export interface OpenSpan {
  readonly trace: Trace;
  readonly ids: SpanIds;
  /** The ids of the root span. */
  readonly root: SpanIds;
}

export interface PlatformSpan {
  /** Whether this request's spans are recorded; false also when tracing is off. */
  readonly isTraced: boolean;
  spanContext(): { readonly traceId: string; readonly spanId: string };
  setAttributes(attributes: Record<string, string | number | boolean>): unknown;
  recordException(exception: { readonly name: string; readonly message: string }): void;
  setStatus(status: { readonly code: "ok" | "error"; readonly message?: string }): unknown;
}

export interface PlatformTracing {
  /** Runs work in a child of the open span. The span ends when the returned promise settles. */
  enterSpan<T>(name: string, work: (span: PlatformSpan) => T): T;
}
