// Plays Phoenix: `POST /v1/span_annotations` over HTTP, as strict about a body as Phoenix, with its spans and annotations;
// it can fail, stall and lie.

import { z } from "zod";
import { type Answer, type LyingServer, lyingServer } from "./lying-server.ts";

export const PHOENIX_KEY = "phoenix-key-of-tests";

// Phoenix leaves out what it does not know, and would not tell us that it did.
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

/** What is answered in place of Phoenix's own words, by the number of the call, from 1; undefined where it behaves. */
export type Misbehave = (call: number, body: string) => Answer | undefined | Promise<Answer | undefined>;

export interface FakePhoenix extends LyingServer {
  readonly knownSpans: Set<string>;
  /** One for each name, span and identifier, in the order of their first writing. */
  annotations(): SpanAnnotation[];
  misbehave: Misbehave;
  /** The settings that lead Dejavu here. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function fakePhoenix(): Promise<FakePhoenix> {
  const known = new Set<string>();
  const held = new Map<string, SpanAnnotation>();
  let misbehave: Misbehave = () => undefined;
  const server = await lyingServer({
    async answer(body, call, { authorization }) {
      const lie = await misbehave(call, body);
      if (lie !== undefined) return lie;
      if (server.requests[call - 1] !== "POST /v1/span_annotations?sync=true")
        return problem(405, "Method Not Allowed");
      if (authorization !== `Bearer ${PHOENIX_KEY}`) return problem(401, "Invalid token");
      const parsed = bodySchema.safeParse(JSON.parse(body));
      if (!parsed.success) return problem(422, z.prettifyError(parsed.error));
      const missing = parsed.data.data.filter(({ span_id }) => !known.has(span_id));
      if (missing.length > 0)
        return problem(404, `Spans with IDs ${missing.map(({ span_id }) => span_id).join(", ")} do not exist.`);
      const ids = parsed.data.data.map((annotation) => {
        const key = JSON.stringify([annotation.name, annotation.span_id, annotation.identifier]);
        held.set(key, annotation);
        return { id: Buffer.from(`SpanAnnotation:${[...held.keys()].indexOf(key) + 1}`).toString("base64") };
      });
      return { body: JSON.stringify({ data: ids }) };
    },
  });
  return {
    ...server,
    knownSpans: known,
    annotations: () => [...held.values()],
    get misbehave() {
      return misbehave;
    },
    set misbehave(next) {
      misbehave = next;
    },
    environment: { PHOENIX_URL: server.url, PHOENIX_API_KEY: PHOENIX_KEY, DEPENDENCY_TIMEOUT_MS: "1000" },
  };
}

function problem(status: number, detail: string): Answer {
  return { status, body: JSON.stringify({ detail }) };
}
