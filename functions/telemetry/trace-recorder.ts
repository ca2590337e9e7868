// Owns the spans of one trace from their opening to their sending: how many it may hold, when they are sent, and that
// whoever waits for an answer waits for none of it.

import type { FinishedSpan, SpanExporter } from "../adapters/span-exporter.ts";
import { settle } from "../dependencies.ts";
import { exportable, exportableText, type Hiding } from "./exportable-attributes.ts";
import { type AttributeValue, SemanticConventions } from "./openinference.ts";
import type { Ended, Recorder, SpanIds, SpanKind, Tracer } from "./trace-types.ts";

/** A triage has some 20; a model that is asked again and again, 40. */
export const MAX_SPANS = 200;
/** UTF-16 units of all texts of a trace: what is too much is left out, the latest first. */
export const MAX_TEXT = 1_000_000;

export interface RecorderOptions {
  readonly exporter: SpanExporter;
  /** The traces of evaluations go to one of their own. */
  readonly project: string;
  readonly now: () => Date;
  /** Bytes that nobody can foretell. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly hiding: Hiding;
  /** Told of spans that nobody will see, and why in words without content. */
  readonly onDropped: (spans: number, reason: string) => Promise<void>;
}

/** @param options null where no spans are sent: then the platform's own tracing is all there is */
export function createTracer(hiding: Hiding, options: Omit<RecorderOptions, "hiding"> | null): Tracer {
  return {
    hiding,
    startTrace: (traffic, runInBackground) => {
      if (options === null) return null;
      const project = traffic === "evaluation" ? `${options.project}-evaluation` : options.project;
      return createRecorder({ ...options, hiding, project }, runInBackground);
    },
  };
}

interface Recorded {
  readonly kind: SpanKind;
  readonly name: string;
  readonly ids: SpanIds;
  readonly parent: SpanIds | undefined;
  readonly startedAt: Date;
  end?: Ended & { readonly at: Date };
}
type Done = Required<Recorded>;

/** Sends what has ended when the first span ends, and again whenever nothing is open any more after that. */
function createRecorder(options: RecorderOptions, runInBackground: (work: Promise<unknown>) => void): Recorder {
  const { exporter, project, now, onDropped } = options;
  const id = (bytes: number) =>
    Array.from(options.randomBytes(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const traceId = id(16);
  const fitting = createFitting(options.hiding);
  let kept: Recorded[] = [];
  let opened = 0;
  let open = 0;
  let refused = 0;
  let isOver = false;

  const send = async (spans: readonly Done[]) => {
    // Scrubbing takes its time, and the answer is not away yet.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const sent = await settle(exporter.send(spans.map(fitting), project));
    if (!sent.ok) await onDropped(spans.length, sent.error.message);
    else if (sent.value > 0) await onDropped(sent.value, "trace_collector: it refused them");
  };
  const flush = () => {
    const done = kept.filter(isDone);
    kept = kept.filter((span) => !isDone(span));
    if (refused > 0) runInBackground(onDropped(refused, `the trace has more than ${MAX_SPANS}`));
    refused = 0;
    if (done.length > 0) runInBackground(send(done));
  };
  return {
    open(kind, name, parent) {
      if (opened >= MAX_SPANS) {
        refused += 1;
        return null;
      }
      const span: Recorded = { kind, name, ids: { traceId, spanId: id(8) }, parent, startedAt: now() };
      kept.push(span);
      opened += 1;
      open += 1;
      return {
        ids: span.ids,
        end(ended) {
          span.end = { ...ended, at: now() };
          open -= 1;
          isOver ||= parent === undefined;
          if (isOver && (parent === undefined || open === 0)) flush();
        },
      };
    },
  };
}

function isDone(span: Recorded): span is Done {
  return span.end !== undefined;
}

/** Makes spans ready to leave, as long as there is room for their texts. */
function createFitting(hiding: Hiding): (span: Done) => FinishedSpan {
  let room = MAX_TEXT;
  return ({ kind, name, ids, parent, startedAt, end }) => {
    let dropped = 0;
    const attributes: Record<string, AttributeValue> = { [SemanticConventions.OPENINFERENCE_SPAN_KIND]: kind };
    for (const [key, value] of Object.entries(exportable(end.attributes(), hiding))) {
      const length = typeof value === "object" ? value.join("").length : String(value).length;
      if (length > room) {
        dropped += 1;
        continue;
      }
      room -= length;
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
        type: exportableText(failure.type),
        message: String(exportable({ "exception.message": failure.message }, hiding)["exception.message"]),
      },
    };
  };
}
