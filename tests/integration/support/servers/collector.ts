// The local trace collector in the test's own process, with a way to wait for spans that arrive after the response.

import { serve } from "@hono/node-server";
import { createCollectorApp } from "../../../../dev/collector/app.ts";
import { type ReceivedSpan, rootOf, type TraceRecord } from "../../../../dev/collector/trace-record.ts";
import { createTraceStore } from "../../../../dev/collector/trace-store.ts";

export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** Settings that send traces to this collector. */
  readonly env: Readonly<Record<string, string>>;
  /** Headers of each request, in order. */
  readonly requests: Headers[];
  /** Last received first. */
  traces(): readonly TraceRecord[];
  /** The only trace. @throws Error when there is none, when there are several, or when the attributes of a span failed */
  only(): TraceRecord;
  /** Waits until a trace matches. Checks again after each request. */
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
      if (trace === undefined || others.length > 0)
        throw new Error(`Received ${store.list().length} traces instead of one.`);
      const failed = trace.spans.find(({ attributes }) => "dejavu.attributes_failed" in attributes);
      if (failed) throw new Error(`The attributes of the span "${failed.name}" could not be computed.`);
      return trace;
    },
    async until(isWanted) {
      for (;;) {
        const trace = store.list().find(isWanted);
        if (trace) return trace;
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

/** The spans as an indented tree of "KIND name", in the order of their start. */
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

/** @throws Error when there is none */
export function spanOf({ spans }: TraceRecord, name: string, index = 0): ReceivedSpan {
  const match = spans.filter((span) => span.name === name)[index];
  if (match) return match;
  throw new Error(`There is no span "${name}" among ${spans.map((span) => span.name).join(", ")}.`);
}

/** The steps of a triage as `treeOf` shows them: the searches, the steps before them, and the steps after the answer. */
export const RECALL = ["  RETRIEVER recall runbooks", "  RETRIEVER recall memory"];
export const BEFORE = ["CHAIN triage", "  GUARDRAIL guard input", "  EMBEDDING embed query", "  CHAIN start run"];
export const AFTER = ["  GUARDRAIL guard output", "  CHAIN persist", "  CHAIN update memory", "    CHAIN flush outbox"];
