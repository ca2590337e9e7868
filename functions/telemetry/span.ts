// Opens spans for all recorders: the OTLP exporter, the platform, both, or none. Steps open spans and set attributes;
// only this file knows the recorders.

import type { RunInBackground } from "../background-tasks.ts";
import { type ExportRules, exportable, exportableText } from "./exportable-attributes.ts";
import { type Attributes, SemanticConventions } from "./openinference.ts";
import { requestContext, withContext } from "./request-context.ts";
import type { Ended, OpenSpan, PlatformSpan, Recording, Span, SpanKind, Trace, Tracer } from "./trace-types.ts";

const UNRECORDED: Span = { set() {}, fail() {} };

/** Runs work in a child of the open span; without an open span it only runs the work. */
export function inSpan<T>(kind: SpanKind, name: string, work: (span: Span) => T): T {
  const parent = requestContext().span;
  return parent === undefined ? work(UNRECORDED) : openAndRun(parent.trace, { kind, name, parent }, work);
}

/** Runs work in the first span of a new trace; without a recorder it only runs the work. */
export function inTrace<T>(
  { tracer }: { readonly tracer: Tracer },
  { name, runInBackground }: { readonly name: string; readonly runInBackground: RunInBackground },
  work: (span: Span) => T,
): T {
  const { platform, traffic, evaluation } = requestContext();
  const recorder = tracer.startTrace(traffic ?? "production", runInBackground);
  if (recorder === null && platform === undefined) return work(UNRECORDED);
  return openAndRun(
    { exportRules: tracer.exportRules, recorder, platform },
    { kind: "CHAIN", name, parent: undefined },
    (span) => {
      if (evaluation) span.set(() => ({ "eval.run": evaluation.run, "eval.case": evaluation.case }));
      return work(span);
    },
  );
}

/** A failing attribute function loses its attributes only, not the step and not the rest of the trace. */
function collect(attributes: readonly (() => Attributes)[]): Attributes {
  const all: Record<string, Attributes[string]> = {};
  for (const read of attributes) {
    try {
      Object.assign(all, read());
    } catch (error) {
      // The error's message may quote content.
      all["dejavu.attributes_failed"] = error instanceof Error ? error.name : typeof error;
    }
  }
  return all;
}

/** The ids of the trace's root span; null when nothing is recorded. */
export function rootSpanIds(): { readonly trace_id: string; readonly span_id: string } | null {
  const root = requestContext().span?.root;
  return root === undefined ? null : { trace_id: root.traceId, span_id: root.spanId };
}

interface Opening {
  readonly kind: SpanKind;
  readonly name: string;
  readonly parent: OpenSpan | undefined;
}

/** Runs the work in a span. Past the recorder's limit of spans, it runs unrecorded, unless the platform records it. */
function openAndRun<T>(trace: Trace, { kind, name, parent }: Opening, work: (span: Span) => T): T {
  const { recorder, platform, exportRules } = trace;
  const own = recorder?.open(kind, name, parent?.ids);
  if (platform === undefined) return runAndEnd(trace, { parent, recordings: own ? [own] : [] }, work);
  return platform.enterSpan(name, (span) => {
    const platformRecording = span.isTraced ? [recordOnPlatform(span, kind, exportRules)] : [];
    // The platform decides once for a whole request whether it is recorded.
    const below = span.isTraced ? trace : { ...trace, platform: undefined };
    return runAndEnd(below, { parent, recordings: [...(own ? [own] : []), ...platformRecording] }, work);
  });
}

function runAndEnd<T>(
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
  // The caller gets the same promise; the span ends first.
  if (result instanceof Promise) result.then(end, endWith);
  else end();
  return result;
}

function recordOnPlatform(span: PlatformSpan, kind: SpanKind, rules: ExportRules): Recording {
  return {
    ids: idsOf(span),
    end({ attributes, failure }) {
      const attributesWithKind = { [SemanticConventions.OPENINFERENCE_SPAN_KIND]: kind, ...attributes() };
      // The platform does not support lists.
      const exported = Object.entries(exportable(attributesWithKind, rules)).map(
        ([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : value] as const,
      );
      span.setAttributes(Object.fromEntries(exported));
      if (failure === undefined) {
        span.setStatus({ code: "ok" });
        return;
      }
      const { "exception.message": message } = exportable({ "exception.message": failure.message }, rules);
      const exception = { name: exportableText(failure.type, rules), message: String(message) };
      span.recordException(exception);
      span.setStatus({ code: "error", message: `${exception.name}: ${exception.message}` });
    },
  };
}

function idsOf(span: PlatformSpan): Recording["ids"] {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}
