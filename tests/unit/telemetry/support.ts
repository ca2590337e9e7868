// A tracer whose spans stay here, in place of a collector.

import type { FinishedSpan } from "../../../functions/adapters/span-exporter.ts";
import { createTracer } from "../../../functions/telemetry/trace-recorder.ts";
import { redact } from "../../../lib/redaction/redact.ts";
import { createTestTimers } from "../../support/test-timers.ts";

export interface Kept {
  readonly spans: readonly FinishedSpan[];
  readonly project: string;
}

/** @param onSend may throw, as an unavailable collector does; returns the number of rejected spans */
export function keepingTracer({ onSend = () => 0 }: { readonly onSend?: () => number } = {}) {
  const batches: Kept[] = [];
  const dropped: { readonly spans: number; readonly reason: string }[] = [];
  const background: Promise<unknown>[] = [];
  let time = 0;
  let id = 0;
  const tracer = createTracer(
    { hidesTexts: false, redact },
    {
      exporter: {
        async send(spans, project) {
          batches.push({ spans, project });
          return onSend();
        },
      },
      project: "unit",
      now: () => new Date(time++),
      startTimer: createTestTimers().startTimer,
      randomBytes: (count) => Uint8Array.from({ length: count }, (_, i) => (i === count - 1 ? ++id : 0)),
      onDropped: async (spans, reason) => {
        dropped.push({ spans, reason });
      },
    },
  );
  return {
    services: { tracer },
    batches,
    dropped,
    runInBackground: (work: Promise<unknown>) => void background.push(work),
    /** Waits until all that was to be sent is sent. */
    async settled(): Promise<FinishedSpan[]> {
      while (background.length > 0) await background.shift();
      return batches.flatMap(({ spans }) => spans);
    },
  };
}
