// HTTP API of the embedding sidecar, compatible with OpenAI's `/v1/embeddings`.

import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { DIMENSIONS, type Embed, MODEL_NAME } from "./encoder.ts";

/** Keeps a request small enough for a caller's timeout. OpenAI admits 2,048. */
const MAX_INPUTS = 256;

const inputText = z.string("must be a string or an array of strings").min(1, "must not be an empty string");

/** A string is wrapped before parsing: the errors of a union would be hard to read. */
const requestSchema = z.object({
  input: z.preprocess(
    (input) => (typeof input === "string" ? [input] : input),
    z
      .array(inputText, "must be a string or an array of strings")
      .min(1, "must hold at least one text")
      .max(MAX_INPUTS, `must hold at most ${MAX_INPUTS} texts`),
  ),
  model: z.string("must be a string"),
  encoding_format: z.enum(["float", "base64"], 'must be "float" or "base64"').default("float"),
  dimensions: z.literal(DIMENSIONS, `must be ${DIMENSIONS}`).optional(),
  /** Accepted for OpenAI's clients and ignored. */
  user: z.string().optional(),
});

interface ApiError {
  message: string;
  param: string | null;
  code: string | null;
}

/** @param embedders for requests that somebody waits for, and for background work */
export function createEmbeddingsApp(embedders: { readonly query: Embed; readonly indexing: Embed }): Hono {
  const app = new Hono();

  app.get("/health", (c) => c.json({ status: "ok", model: MODEL_NAME, dimensions: DIMENSIONS }));

  app.get("/v1/models", (c) =>
    c.json({ object: "list", data: [{ id: MODEL_NAME, object: "model", created: 0, owned_by: "dejavu" }] }),
  );

  app.post("/v1/embeddings", async (c) => {
    const body: unknown = await c.req.json().catch(() => {
      throw invalidRequest(400, { message: "The body is not valid JSON.", param: null, code: null });
    });
    const parsed = requestSchema.safeParse(body);
    if (!parsed.success) throw invalidRequest(400, describe(parsed.error));
    const { input, model, encoding_format } = parsed.data;
    if (model !== MODEL_NAME) {
      const message = `The model \`${model}\` does not exist here. Use \`${MODEL_NAME}\`.`;
      throw invalidRequest(404, { message, param: "model", code: "model_not_found" });
    }
    const embed = isDeferrable(c.req.header("priority")) ? embedders.indexing : embedders.query;
    const { vectors, tokens } = await embed(input, c.req.raw.signal);
    const total = tokens.reduce((sum, count) => sum + count, 0);
    return c.json({
      object: "list",
      model,
      data: vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: encoding_format === "base64" ? base64Of(vector) : vector,
      })),
      usage: { prompt_tokens: total, total_tokens: total },
    });
  });

  app.notFound((c) =>
    c.json(errorBody("invalid_request_error", { message: "There is no such endpoint.", param: null, code: null }), 404),
  );
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    console.error(error);
    return c.json(
      errorBody("server_error", { message: "The texts could not be embedded.", param: null, code: null }),
      500,
    );
  });
  return app;
}

/** 32-bit floats, little-endian, as OpenAI writes them. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString("base64");
}

/** Urgency of a request without the header (RFC 9218): 0 is the most urgent, 7 is background work. */
const DEFAULT_URGENCY = 3;

function isDeferrable(priority: string | undefined): boolean {
  const [, urgency = String(DEFAULT_URGENCY)] = /(?:^|[\s,])u=([0-7])(?:$|[\s,;])/.exec(priority ?? "") ?? [];
  return Number(urgency) > DEFAULT_URGENCY;
}

function describe(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  const param = issue?.path.join(".") || null;
  return { message: `'${param ?? "body"}' ${issue?.message ?? "is invalid"}.`, param, code: null };
}

function errorBody(type: string, error: ApiError): { error: ApiError & { type: string } } {
  return { error: { ...error, type } };
}

function invalidRequest(status: 400 | 404, error: ApiError): HTTPException {
  return new HTTPException(status, { res: Response.json(errorBody("invalid_request_error", error), { status }) });
}
