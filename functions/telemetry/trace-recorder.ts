// Records the spans of one trace and sends them in the background, within limits of number and size.

import type { FinishedSpan, SpanExporter } from "../adapters/span-exporter.ts";
import { settle } from "../dependencies.ts";
import { pause, type StartTimer } from "../timers.ts";
import { type ExportRules, exportable, exportableText } from "./exportable-attributes.ts";
import { type AttributeValue, SemanticConventions } from "./openinference.ts";
import type { Ended, Recorder, SpanIds, SpanKind, Tracer } from "./trace-types.ts";

/** Spans of one trace. A triage has some 20; 40 with many model retries. */
export const MAX_SPANS = 200;
/** UTF-16 units of all texts of a trace; later texts are dropped first. */
export const MAX_TEXT = 1_000_000;

export interface RecorderOptions {
  readonly exporter: SpanExporter;
  /** The project; evaluations have one of their own. */
  readonly project: string;
  readonly now: () => Date;
  readonly startTimer: StartTimer;
  /** Cryptographically secure random bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly exportRules: ExportRules;
  /** Called for dropped spans, with a reason without content. */
  readonly onDropped: (spans: number, reason: string) => Promise<void>;
}

/** @param options null without an exporter: only the platform's tracing records then */
export function createTracer(exportRules: ExportRules, options: Omit<RecorderOptions, "exportRules"> | null): Tracer {
  return {
    exportRules,
    startTrace: (traffic, runInBackground) => {
      if (options === null) return null;
      const project = traffic === "evaluation" ? `${options.project}-evaluation` : options.project;
      return createRecorder({ ...options, exportRules, project }, runInBackground);
    },
  };
}

interface RecordedSpan {
  readonly kind: SpanKind;
  readonly name: string;
  readonly ids: SpanIds;
  readonly parent: SpanIds | undefined;
  readonly startedAt: Date;
  end?: Ended & { readonly at: Date };
}
type EndedSpan = Required<RecordedSpan>;

/** Sends the ended spans when the root span ends, and again whenever no span is open after that. */
function createRecorder(options: RecorderOptions, runInBackground: (work: Promise<unknown>) => void): Recorder {
  const { exporter, project, now, startTimer, onDropped } = options;
  const id = (bytes: number) =>
    Array.from(options.randomBytes(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const traceId = id(16);
  const toFinishedSpan = createExport(options.exportRules);
  let spans: RecordedSpan[] = [];
  let openedCount = 0;
  let openCount = 0;
  let droppedCount = 0;
  let hasRootEnded = false;

  const send = async (spans: readonly EndedSpan[]) => {
    // Yields first: scrubbing takes time, and the response is not sent yet.
    await pause(startTimer, "trace_export", 0);
    const sent = await settle(exporter.send(spans.map(toFinishedSpan), project));
    if (!sent.ok) await onDropped(spans.length, sent.error.message);
    else if (sent.value > 0) await onDropped(sent.value, "trace_collector: it refused them");
  };
  const flush = () => {
    const done = spans.filter(isEnded);
    spans = spans.filter((span) => !isEnded(span));
    if (droppedCount > 0) runInBackground(onDropped(droppedCount, `the trace has more than ${MAX_SPANS}`));
    droppedCount = 0;
    if (done.length > 0) runInBackground(send(done));
  };
  return {
    open(kind, name, parent) {
      if (openedCount >= MAX_SPANS) {
        droppedCount += 1;
        return null;
      }
      const span: RecordedSpan = { kind, name, ids: { traceId, spanId: id(8) }, parent, startedAt: now() };
      spans.push(span);
      openedCount += 1;
      openCount += 1;
      return {
        ids: span.ids,
        end(ended) {
          span.end = { ...ended, at: now() };
          openCount -= 1;
          hasRootEnded ||= parent === undefined;
          if (hasRootEnded && (parent === undefined || openCount === 0)) flush();
        },
      };
    },
  };
}

function isEnded(span: RecordedSpan): span is EndedSpan {
  return span.end !== undefined;
}

/** Prepares spans for export until their texts reach the size limit. */
function createExport(rules: ExportRules): (span: EndedSpan) => FinishedSpan {
  let remaining = MAX_TEXT;
  return ({ kind, name, ids, parent, startedAt, end }) => {
    let dropped = 0;
    const attributes: Record<string, AttributeValue> = { [SemanticConventions.OPENINFERENCE_SPAN_KIND]: kind };
    for (const [key, value] of Object.entries(exportable(end.attributes(), rules))) {
      const length = typeof value === "object" ? value.join("").length : String(value).length;
      if (length > remaining) {
        dropped += 1;
        continue;
      }
      remaining -= length;
      attributes[key] = value;
    }
    const { failure } = end;
    return {
      ...ids,
      parentSpanId: parent?.spanId,
      name,
      startedAt,
      endedAt: end.at,
      attributes,
      droppedAttributes: dropped,
      failure: failure && {
        type: exportableText(failure.type, rules),
        message: String(exportable({ "exception.message": failure.message }, rules)["exception.message"]),
      },
    };
  };
}
