// Owns the opening of spans, for whoever records them: our own exporter, the platform, both, or nobody. Steps open spans
// and say what they did; only here is it known where that goes.

import type { Hiding } from "./exportable-attributes.ts";
import type { Attributes } from "./openinference.ts";
import { type PlatformTracing, recordOnPlatform } from "./platform-tracing.ts";
import { type Traffic, withContext, workContext } from "./request-context.ts";

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

type RunInBackground = (work: Promise<unknown>) => void;

interface Trace {
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

const UNRECORDED: Span = { set() {}, fail() {} };

/** Runs work in a span below the one that is open; where none is, it only runs it. */
export function inSpan<T>(kind: SpanKind, name: string, work: (span: Span) => T): T {
  const parent = workContext().span;
  return parent === undefined ? work(UNRECORDED) : record(parent.trace, { kind, name, parent }, work);
}

/** Runs work in the first span of a new trace; where nobody records, it only runs it. */
export function inTrace<T>(
  { tracer }: { readonly tracer: Tracer },
  { name, runInBackground }: { readonly name: string; readonly runInBackground: RunInBackground },
  work: (span: Span) => T,
): T {
  const { platform, traffic } = workContext();
  const recorder = tracer.startTrace(traffic ?? "production", runInBackground);
  if (recorder === null && platform === undefined) return work(UNRECORDED);
  return record({ hiding: tracer.hiding, recorder, platform }, { kind: "CHAIN", name, parent: undefined }, work);
}

/** A mistake in saying what a step did costs what would have been said, and neither the step nor the rest of its trace. */
function collect(attributes: readonly (() => Attributes)[]): Attributes {
  const all: Record<string, Attributes[string]> = {};
  for (const told of attributes) {
    try {
      Object.assign(all, told());
    } catch (error) {
      // Its message may quote what it choked on.
      all["dejavu.attributes_failed"] = error instanceof Error ? error.name : typeof error;
    }
  }
  return all;
}

/** Where traces hold the work that is under way; null where nobody records it. */
export function traceOf(): { readonly trace_id: string; readonly span_id: string } | null {
  const root = workContext().span?.root;
  return root === undefined ? null : { trace_id: root.traceId, span_id: root.spanId };
}

interface Opening {
  readonly kind: SpanKind;
  readonly name: string;
  readonly parent: OpenSpan | undefined;
}

function record<T>(trace: Trace, { kind, name, parent }: Opening, work: (span: Span) => T): T {
  const { recorder, platform, hiding } = trace;
  const own = recorder?.open(kind, name, parent?.ids);
  if (platform === undefined) return follow(trace, { parent, recordings: own ? [own] : [] }, work);
  return platform.enterSpan(name, (span) => {
    const theirs = span.isTraced ? [recordOnPlatform(span, kind, hiding)] : [];
    // Whether a request is recorded is decided once for all of it.
    const below = span.isTraced ? trace : { ...trace, platform: undefined };
    return follow(below, { parent, recordings: [...(own ? [own] : []), ...theirs] }, work);
  });
}

function follow<T>(
  trace: Trace,
  { parent, recordings }: { readonly parent: OpenSpan | undefined; readonly recordings: readonly Recording[] },
  work: (span: Span) => T,
): T {
  const [first] = recordings;
  if (first === undefined) return work(UNRECORDED);
  const attributes: (() => Attributes)[] = [];
  let failure: Ended["failure"];
  const span: Span = {
    set: (more) => void attributes.push(more),
    fail: (type, message) => {
      failure = { type, message };
    },
  };
  const end = () => {
    for (const recording of recordings) recording.end({ attributes: () => collect(attributes), failure });
  };
  const endWith = (error: unknown) => {
    const { name, message } = error instanceof Error ? error : { name: typeof error, message: "" };
    span.fail(name, message);
    end();
  };
  const open: OpenSpan = { trace, ids: first.ids, root: parent?.root ?? first.ids };
  let result: T;
  try {
    result = withContext({ span: open }, () => work(span));
  } catch (error) {
    endWith(error);
    throw error;
  }
  // Looked at from the side: whoever waits for the result gets it as it is, and after the span has ended.
  if (result instanceof Promise) result.then(end, endWith);
  else end();
  return result;
}
