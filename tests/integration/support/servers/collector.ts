// The local collector in the test's own process: what it received, and a way to wait for what comes behind an answer.

import { serve } from "@hono/node-server";
import { createCollectorApp } from "../../../../dev/collector/app.ts";
import { type ReceivedSpan, rootOf, type TraceRecord } from "../../../../dev/collector/trace-record.ts";
import { createTraceStore } from "../../../../dev/collector/trace-store.ts";

export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** The settings that send traces here. */
  readonly env: Readonly<Record<string, string>>;
  /** Headers of each request, in order. */
  readonly requests: Headers[];
  /** Last received first. */
  traces(): readonly TraceRecord[];
  /** The one trace that came. @throws Error where there are none, or several, or a span failed to say what it did */
  only(): TraceRecord;
  /** Waits until a trace is as wanted, while requests come in. */
  until(isWanted: (trace: TraceRecord) => boolean): Promise<TraceRecord>;
}

export async function startCollector(): Promise<Collector> {
  const store = createTraceStore(null);
  const app = createCollectorApp(store);
  const requests: Headers[] = [];
  let wake = () => {};
  const listening = Promise.withResolvers<number>();
  const server = serve(
    {
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request: Request) => {
        requests.push(request.headers);
        const response = await app.fetch(request);
        wake();
        return response;
      },
    },
    ({ port }) => listening.resolve(port),
  );
  const url = `http://127.0.0.1:${await listening.promise}`;
  return {
    url,
    env: { OTLP_ENDPOINT: url },
    requests,
    traces: () => store.list(),
    only() {
      const [trace, ...others] = store.list();
      if (trace === undefined || others.length > 0) throw new Error(`${store.list().length} traces came, and not one.`);
      const failed = trace.spans.find(({ attributes }) => "dejavu.attributes_failed" in attributes);
      if (failed) throw new Error(`What "${failed.name}" did could not be said.`);
      return trace;
    },
    async until(isWanted) {
      for (;;) {
        const found = store.list().find(isWanted);
        if (found) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const KIND = "openinference.span.kind";

/** Spans as a tree that can be compared: "KIND name" each, those that began first on top. */
export function treeOf(trace: TraceRecord): string[] {
  const show = (span: ReceivedSpan, depth: number): string[] => [
    `${"  ".repeat(depth)}${span.attributes[KIND]} ${span.name}${span.status === "error" ? " failed" : ""}`,
    ...trace.spans
      .filter(({ parentSpanId }) => parentSpanId === span.spanId)
      .flatMap((below) => show(below, depth + 1)),
  ];
  const root = rootOf(trace);
  return root ? show(root, 0) : [];
}

/** @throws Error where there is none */
export function spanOf({ spans }: TraceRecord, name: string, index = 0): ReceivedSpan {
  const found = spans.filter((span) => span.name === name)[index];
  if (found) return found;
  throw new Error(`There is no span "${name}" among ${spans.map((span) => span.name).join(", ")}.`);
}

/** A triage's steps as `treeOf` tells them: before it searches, its searches, and what comes behind the answer. */
export const RECALL = [
  "  EMBEDDING embed query",
  "  EMBEDDING embed failure",
  "  RETRIEVER recall runbooks",
  "  RETRIEVER recall memory",
];
export const BEFORE = ["CHAIN triage", "  GUARDRAIL guard input", "  CHAIN begin"];
export const AFTER = ["  GUARDRAIL guard output", "  CHAIN persist", "  CHAIN learn", "    CHAIN remember"];
