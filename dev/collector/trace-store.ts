// Owns which traces the local collector keeps: the newest, in memory, and each in a file of its own where it is given a
// folder.

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readJsonIfThere, writeFileAtomic } from "../stack/system/atomic-file.ts";
import { type Annotation, type ReceivedSpan, type TraceRecord, traceSchema } from "./trace-record.ts";

const MOST_TRACES = 200;
/** Dejavu sends 200 at most; others may send to this address as well. */
const MOST_SPANS_EACH = 1_000;
/** Opinions on the spans of one trace. */
const MOST_ANNOTATIONS_EACH = 100;

export interface TraceStore {
  /** @returns how many there was no room for */
  add(spans: readonly ReceivedSpan[]): number;
  /** @returns whether the span is known */
  annotate(annotation: Annotation): boolean;
  /** Last received first. */
  list(): readonly TraceRecord[];
}

/** @param folder made where it is missing; null keeps all in memory alone */
export function createTraceStore(folder: string | null, now: () => number = Date.now): TraceStore {
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const traces = new Map((folder === null ? [] : readTraces(folder)).map((trace) => [trace.traceId, trace]));
  const keep = (trace: TraceRecord) => {
    // At the end of the map: the first is the one to go.
    traces.delete(trace.traceId);
    traces.set(trace.traceId, trace);
    for (const [id] of traces) {
      if (traces.size <= MOST_TRACES) break;
      traces.delete(id);
      if (folder !== null) rmSync(fileOf(folder, id), { force: true });
    }
    if (folder !== null) writeFileAtomic(fileOf(folder, trace.traceId), JSON.stringify(trace));
  };
  return {
    add(spans) {
      let refused = 0;
      for (const [traceId, more] of Map.groupBy(spans, (span) => span.traceId)) {
        const known = traces.get(traceId) ?? { traceId, receivedAt: now(), spans: [], annotations: [] };
        // A batch that comes twice is a repeated request.
        const all = [...new Map([...known.spans, ...more].map((span) => [span.spanId, span])).values()];
        refused += Math.max(0, all.length - MOST_SPANS_EACH);
        keep({ ...known, spans: all.slice(0, MOST_SPANS_EACH) });
      }
      return refused;
    },
    annotate(annotation) {
      const trace = traces.values().find(({ spans }) => spans.some(({ spanId }) => spanId === annotation.span_id));
      if (trace === undefined) return false;
      const others = trace.annotations.filter((former) => keyOf(former) !== keyOf(annotation));
      keep({ ...trace, annotations: [...others, annotation].slice(-MOST_ANNOTATIONS_EACH) });
      return true;
    },
    list: () => [...traces.values()].reverse(),
  };
}

/** Those in a folder, last received last; none where there is no such folder. */
export function readTraces(folder: string): TraceRecord[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  const read = files.flatMap((name) => traceSchema.safeParse(readJsonIfThere(join(folder, name))).data ?? []);
  return read.sort((a, b) => a.receivedAt - b.receivedAt);
}

function fileOf(folder: string, traceId: string): string {
  return join(folder, `${traceId}.json`);
}

function keyOf({ span_id, name, identifier }: Annotation): string {
  return JSON.stringify([span_id, name, identifier ?? ""]);
}
