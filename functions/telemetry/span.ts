// Owns the opening of spans, for whoever records them: our own exporter, the platform, both, or nobody. Steps open spans
// and say what they did; only here is it known where that goes.

import type { Attributes } from "./openinference.ts";
import { recordOnPlatform } from "./platform-tracing.ts";
import { requestContext, withContext } from "./request-context.ts";
import type { Ended, OpenSpan, Recording, RunInBackground, Span, SpanKind, Trace, Tracer } from "./trace-types.ts";

const UNRECORDED: Span = { set() {}, fail() {} };

/** Runs work in a span below the one that is open; where none is, it only runs it. */
export function inSpan<T>(kind: SpanKind, name: string, work: (span: Span) => T): T {
  const parent = requestContext().span;
  return parent === undefined ? work(UNRECORDED) : record(parent.trace, { kind, name, parent }, work);
}

/** Runs work in the first span of a new trace; where nobody records, it only runs it. */
export function inTrace<T>(
  { tracer }: { readonly tracer: Tracer },
  { name, runInBackground }: { readonly name: string; readonly runInBackground: RunInBackground },
  work: (span: Span) => T,
): T {
  const { platform, traffic } = requestContext();
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
  const root = requestContext().span?.root;
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
