// Owns how a triage is sent while it runs: server-sent events, with signs of life in between, and an end to the model's
// work when the reader goes away. What fails before there is anything to tell is an ordinary error with its own status.

import type { Context, TypedResponse } from "hono";
import { streamSSE } from "hono/streaming";
import type { TriageEvent } from "../../investigation/run/events.ts";
import type { TriageOutcome } from "../../investigation/run/run-outcome.ts";
import type { TriageOptions } from "../../investigation/triage.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import type { AppEnv } from "../http/app-env.ts";
import { problemOfError } from "../http/problem.ts";

/** Typed as the JSON that it is another form of: a client that asks for the stream reads it as text. */
type StreamedTriage = Response & TypedResponse<TriageResult, 200, "json">;

/**
 * Sends the events of `start`'s triage and then `done` with its result, or `error` with a problem document.
 * @param resultOf the result of an outcome; throws the problem where it has none
 */
export async function streamTriage(
  c: Context<AppEnv>,
  start: (options: Pick<Required<TriageOptions>, "emit" | "cancelled">) => Promise<TriageOutcome>,
  resultOf: (outcome: TriageOutcome) => TriageResult,
): Promise<StreamedTriage> {
  // The request's own signal tells it before there is a stream that could be cancelled.
  const gone = new AbortController();
  const { readable, writable } = new TransformStream<TriageEvent>(undefined, undefined, UNBOUNDED);
  const writer = writable.getWriter();
  const work = start({
    emit: (event) => void writer.write(event),
    cancelled: AbortSignal.any([gone.signal, c.req.raw.signal]),
  }).finally(() => writer.close());
  const events = readable.getReader();
  const first = await events.read();
  const early = first.done ? await work : undefined;
  const result = early && resultOf(early);
  if (early?.state === "replayed") c.header("idempotent-replayed", "true");
  const stream = streamSSE(c, async (sse) => {
    sse.onAbort(() => gone.abort());
    const send = (event: string, data: unknown) => sse.writeSSE({ event, data: JSON.stringify(data) });
    const heartbeat = setInterval(
      () => void sse.write(": still here\n\n"),
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

/** More than a triage has events: the model is not made to wait for a slow reader. */
const UNBOUNDED: QueuingStrategy<TriageEvent> = { highWaterMark: 1_000_000 };
