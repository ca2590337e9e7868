// Streams a triage as server-sent events with heartbeats, and cancels the model's work when the client disconnects or the
// time is up. A failure before the first event is an ordinary error response.

import type { Context, TypedResponse } from "hono";
import { streamSSE } from "hono/streaming";
import type { Caller } from "../../access/caller.ts";
import type { TriageEvent } from "../../investigation/run/events.ts";
import type { TriageOutcome } from "../../investigation/run/run-outcome.ts";
import type { TriageOptions } from "../../investigation/triage.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { repeat } from "../../timers.ts";
import type { AppEnv } from "../http/app-env.ts";
import { limitStream, streamBudgetMs } from "../http/limit-stream.ts";
import { withOwnSessionNames } from "../http/own-session-names.ts";
import { Problem, problemOfError } from "../http/problem.ts";

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
  const { config, startTimer } = c.get("services");
  const budgetMs = streamBudgetMs(config);
  // Cancels once the stream has begun; before that the request's own signal does.
  const streamAborted = new AbortController();
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  timeIsUp.catch(() => undefined);
  const stopTimer = startTimer("triage_stream", budgetMs, () => {
    streamAborted.abort();
    reject(new Problem("too-slow", TOO_SLOW));
  });
  const { readable, writable } = new TransformStream<TriageEvent>(undefined, undefined, UNBOUNDED);
  const writer = writable.getWriter();
  const work = start({
    emit: (event) => void writer.write(event),
    cancelled: AbortSignal.any([streamAborted.signal, c.req.raw.signal]),
  }).finally(() => {
    stopTimer();
    return writer.close();
  });
  // Its end may come after the time was up.
  work.catch(() => undefined);
  const events = readable.getReader();
  const nextEvent = () => Promise.race([events.read(), timeIsUp]);
  const first = await nextEvent();
  const finished = first.done ? await work : undefined;
  const result = finished && resultOf(finished);
  if (finished?.state === "replayed") c.header("idempotent-replayed", "true");
  const stream = streamSSE(c, async (sse) => {
    sse.onAbort(() => streamAborted.abort());
    const send = (event: string, data: unknown) => sse.writeSSE({ event, data: JSON.stringify(data) });
    const beat = () => void sse.write(": heartbeat\n\n");
    const stopHeartbeat = repeat(startTimer, "heartbeat", config.STREAM_HEARTBEAT_MS, beat);
    try {
      for (let next = first; !next.done; next = await nextEvent())
        await send(next.value.event, dataOf(next.value, c.get("caller")));
      await send("done", result ?? resultOf(await work));
    } catch (error) {
      await send("error", await problemOfError(error, c).json());
    } finally {
      stopHeartbeat();
    }
  });
  return limitStream(stream, budgetMs, startTimer) as StreamedTriage;
}

const TOO_SLOW = "The triage did not end within its time. Send it again; the log has the request id.";

function dataOf(event: TriageEvent, caller: Caller): TriageEvent["data"] {
  return event.event === "recall" ? withOwnSessionNames(caller, event.data) : event.data;
}

/** Above the number of events of any triage, so that a slow client never delays the model. */
const UNBOUNDED: QueuingStrategy<TriageEvent> = { highWaterMark: 1_000_000 };
