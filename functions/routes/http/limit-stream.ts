// Streamed responses end in time, whatever the client does.

import type { StartTimer } from "../../timers.ts";

/** Milliseconds for the last events of a stream to be read. */
const READ_MS = 10_000;

/**
 * Milliseconds in which a streamed triage sends its last event: its budget, and the time to store the start and the end.
 */
export function streamBudgetMs(config: {
  readonly TRIAGE_BUDGET_MS: number;
  readonly DEPENDENCY_TIMEOUT_MS: number;
}): number {
  return config.TRIAGE_BUDGET_MS + 2 * config.DEPENDENCY_TIMEOUT_MS;
}

/**
 * Passes a response on. Its body is broken off some seconds after `ms`, also when the client reads nothing, so that no
 * stream holds memory and a connection for ever. Cancels the source then, as when the client disconnects.
 */
export function limitStream(response: Response, ms: number, startTimer: StartTimer): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  let stopTimer: () => void;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stopTimer = startTimer("response_stream", ms + READ_MS, () => {
          reader.cancel().catch(() => undefined);
          controller.error(new Error("the stream took too long"));
        });
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        stopTimer();
        return controller.close();
      },
      cancel(reason) {
        stopTimer();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
