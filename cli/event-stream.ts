// Owns how a stream of server-sent events is read: a triage's, held against its schema.

import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";
import { triageEventSchema } from "../functions/investigation/run/events.ts";
import { problemSchema } from "../functions/routes/http/problem.ts";
import { triageResultSchema } from "../functions/schemas/triage-result.ts";

export const streamedEventSchema = z.union([
  triageEventSchema,
  z.object({ event: z.literal("done"), data: triageResultSchema }),
  z.object({ event: z.literal("error"), data: problemSchema }),
]);
export type StreamedEvent = z.infer<typeof streamedEventSchema>;

/** The events of a streamed triage, as they come. Events that this version does not know are passed over. @throws ZodError on an end that it cannot read */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of messages) {
    const value = { event, data: JSON.parse(data) };
    const known = streamedEventSchema.safeParse(value);
    if (known.success) yield known.data;
    else if (event === "done" || event === "error") throw known.error;
  }
}
