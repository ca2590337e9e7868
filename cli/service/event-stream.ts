// Reads the server-sent events of a triage and validates them.

import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { triageEventSchema } from "../../functions/investigation/run/events.ts";
import { problemSchema } from "../../functions/routes/http/problem-schema.ts";
import { triageResultSchema } from "../../functions/schemas/triage-result.ts";

export const streamedEventSchema = z.union([
  triageEventSchema,
  z.object({ event: z.literal("done"), data: triageResultSchema }),
  z.object({ event: z.literal("error"), data: problemSchema }),
]);
export type StreamedEvent = z.infer<typeof streamedEventSchema>;

/** Yields the events of a streamed triage. Skips unknown events. @throws ZodError on an invalid `done` or `error` event */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of messages) {
    const value = { event, data: JSON.parse(data) };
    const parsed = streamedEventSchema.safeParse(value);
    if (parsed.success) yield parsed.data;
    else if (event === "done" || event === "error") throw parsed.error;
  }
}
