// Streams a triage as server-sent events with heartbeats, and cancels the model's work when the client disconnects. A
// failure before the first event is an ordinary error response.

import type { Context, TypedResponse } from "hono";
import { streamSSE } from "hono/streaming";
import type { TriageEvent } from "../../investigation/run/events.ts";
import type { TriageOutcome } from "../../investigation/run/run-outcome.ts";
import type { TriageOptions } from "../../investigation/triage.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import type { AppEnv } from "../http/app-env.ts";
import { problemOfError } from "../http/problem.ts";

/** Typed as the JSON response of the same operation; a client that asks for the stream reads it as text. */
type StreamedTriage = Response & TypedResponse<TriageResult, 200, "json">;

/**
 * Sends the events of the triage that `start` runs, then `done` with its result or `error` with a problem document.
 * @param resultOf returns the result of an outcome, or throws a problem
 */
export async function streamTriage(
  c: Context<AppEnv>,
  start: (options: Pick<Required<TriageOptions>, "emit" | "cancelled">) => Promise<TriageOutcome>,
  resultOf: (outcome: TriageOutcome) => TriageResult,
): Promise<StreamedTriage> {
  // Cancels once the stream has begun; before that the request's own signal does.
  const streamAborted = new AbortController();
  const { readable, writable } = new TransformStream<TriageEvent>(undefined, undefined, UNBOUNDED);
  const writer = writable.getWriter();
  const work = start({
    emit: (event) => void writer.write(event),
    cancelled: AbortSignal.any([streamAborted.signal, c.req.raw.signal]),
  }).finally(() => writer.close());
  const events = readable.getReader();
  const first = await events.read();
  const finished = first.done ? await work : undefined;
  const result = finished && resultOf(finished);
  if (finished?.state === "replayed") c.header("idempotent-replayed", "true");
  const stream = streamSSE(c, async (sse) => {
    sse.onAbort(() => streamAborted.abort());
    const send = (event: string, data: unknown) => sse.writeSSE({ event, data: JSON.stringify(data) });
    const heartbeat = setInterval(
      () => void sse.write(": heartbeat\n\n"),
      c.get("services").config.STREAM_HEARTBEAT_MS,
    );
    try {
      for (let next = first; !next.done; next = await events.read()) await send(next.value.event, next.value.data);
      await send("done", result ?? resultOf(await work));
    } catch (error) {
      await send("error", await problemOfError(error, c).json());
    } finally {
      clearInterval(heartbeat);
    }
  });
  return stream as StreamedTriage;
}

/** Above the number of events of any triage, so that a slow client never delays the model. */
const UNBOUNDED: QueuingStrategy<TriageEvent> = { highWaterMark: 1_000_000 };
