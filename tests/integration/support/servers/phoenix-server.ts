// A fake Phoenix server with `POST /v1/span_annotations`. It validates bodies as strictly as Phoenix, keeps spans and
// annotations, and can fail, hang and send invalid responses.

import { z } from "zod";
import { type Answer, type LyingServer, lyingServer } from "./lying-server.ts";

export const PHOENIX_KEY = "phoenix-key-of-tests";

// Stricter than Phoenix, which drops unknown fields without an error.
const annotationSchema = z.strictObject({
  span_id: z.string(),
  name: z.string(),
  annotator_kind: z.enum(["LLM", "CODE", "HUMAN"]),
  result: z
    .strictObject({ label: z.string().nullable(), score: z.number().nullable(), explanation: z.string().nullable() })
    .nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  identifier: z.string().default(""),
});
export type SpanAnnotation = z.infer<typeof annotationSchema>;
const bodySchema = z.strictObject({ data: z.array(annotationSchema) });

/** Returns a response that replaces Phoenix's own, or undefined. Calls are counted from 1. */
export type Misbehave = (call: number, body: string) => Answer | undefined | Promise<Answer | undefined>;

export interface FakePhoenix extends LyingServer {
  readonly knownSpans: Set<string>;
  /** One for each name, span and identifier, in the order of their first write. */
  annotations(): SpanAnnotation[];
  misbehave: Misbehave;
  /** Settings that point Dejavu at this server. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function fakePhoenix(): Promise<FakePhoenix> {
  const knownSpans = new Set<string>();
  const stored = new Map<string, SpanAnnotation>();
  let misbehave: Misbehave = () => undefined;
  const server = await lyingServer({
    async answer(body, call, { authorization }) {
      const faultyAnswer = await misbehave(call, body);
      if (faultyAnswer !== undefined) return faultyAnswer;
      if (server.requests[call - 1] !== "POST /v1/span_annotations?sync=true")
        return problem(405, "Method Not Allowed");
      if (authorization !== `Bearer ${PHOENIX_KEY}`) return problem(401, "Invalid token");
      const parsed = bodySchema.safeParse(JSON.parse(body));
      if (!parsed.success) return problem(422, z.prettifyError(parsed.error));
      const missing = parsed.data.data.filter(({ span_id }) => !knownSpans.has(span_id));
      if (missing.length > 0)
        return problem(404, `Spans with IDs ${missing.map(({ span_id }) => span_id).join(", ")} do not exist.`);
      const ids = parsed.data.data.map((annotation) => {
        const key = JSON.stringify([annotation.name, annotation.span_id, annotation.identifier]);
        stored.set(key, annotation);
        return { id: Buffer.from(`SpanAnnotation:${[...stored.keys()].indexOf(key) + 1}`).toString("base64") };
      });
      return { body: JSON.stringify({ data: ids }) };
    },
  });
  return {
    ...server,
    knownSpans,
    annotations: () => [...stored.values()],
    get misbehave() {
      return misbehave;
    },
    set misbehave(next) {
      misbehave = next;
    },
    environment: { PHOENIX_URL: server.url, PHOENIX_API_KEY: PHOENIX_KEY },
  };
}

function problem(status: number, detail: string): Answer {
  return { status, body: JSON.stringify({ detail }) };
}
