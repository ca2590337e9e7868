// Store of the newest traces, in memory and, when a folder is given, in one file each.

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJsonIfExists, writeFileAtomic } from "../stack/system/atomic-file.ts";
import { type Annotation, type ReceivedSpan, type TraceRecord, traceSchema } from "./trace-record.ts";

const MAX_TRACES = 200;
/** Dejavu sends at most 200, but other programs can send to this address, too. */
const MAX_SPANS_PER_TRACE = 1_000;
const MAX_ANNOTATIONS_PER_TRACE = 100;

export interface TraceStore {
  /** @returns the number of spans rejected because their trace is full */
  add(spans: readonly ReceivedSpan[]): number;
  /** @returns false when no stored trace has the span */
  annotate(annotation: Annotation): boolean;
  /** Newest first. */
  list(): readonly TraceRecord[];
}

/** @param folder created when missing; null keeps traces in memory only */
export function createTraceStore(folder: string | null, now: () => number = Date.now): TraceStore {
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const traces = new Map((folder === null ? [] : readTraces(folder)).map((trace) => [trace.traceId, trace]));
  const put = (trace: TraceRecord) => {
    // Moves it to the end of the map. The first trace is the oldest.
    traces.delete(trace.traceId);
    traces.set(trace.traceId, trace);
    for (const [id] of traces) {
      if (traces.size <= MAX_TRACES) break;
      traces.delete(id);
      if (folder !== null) rmSync(fileOf(folder, id), { force: true });
    }
    if (folder !== null) writeFileAtomic(fileOf(folder, trace.traceId), JSON.stringify(trace));
  };
  return {
    add(spans) {
      let rejected = 0;
      for (const [traceId, received] of Map.groupBy(spans, (span) => span.traceId)) {
        const trace = traces.get(traceId) ?? { traceId, receivedAt: now(), spans: [], annotations: [] };
        // A span that is received twice comes from a retried request.
        const all = [...new Map([...trace.spans, ...received].map((span) => [span.spanId, span])).values()];
        rejected += Math.max(0, all.length - MAX_SPANS_PER_TRACE);
        put({ ...trace, spans: all.slice(0, MAX_SPANS_PER_TRACE) });
      }
      return rejected;
    },
    annotate(annotation) {
      const trace = traces.values().find(({ spans }) => spans.some(({ spanId }) => spanId === annotation.span_id));
      if (trace === undefined) return false;
      const others = trace.annotations.filter((earlier) => keyOf(earlier) !== keyOf(annotation));
      put({ ...trace, annotations: [...others, annotation].slice(-MAX_ANNOTATIONS_PER_TRACE) });
      return true;
    },
    list: () => [...traces.values()].reverse(),
  };
}

/** The traces in a folder, oldest first. None when the folder does not exist. Invalid files are skipped. */
export function readTraces(folder: string): TraceRecord[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  const traces = files.flatMap((name) => traceSchema.safeParse(readJsonIfExists(join(folder, name))).data ?? []);
  return traces.sort((a, b) => a.receivedAt - b.receivedAt);
}

function fileOf(folder: string, traceId: string): string {
  return join(folder, `${traceId}.json`);
}

function keyOf({ span_id, name, identifier }: Annotation): string {
  return JSON.stringify([span_id, name, identifier ?? ""]);
}
