// Owns what holds for every input: its size, its encoding, and which strings Postgres and the indexes can keep.

import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export interface JsonBodyRules {
  /** What to do about a body that is too large. */
  readonly whenTooLarge: string;
  /** Looks at the raw bytes before anybody reads them as JSON; a response ends the request. */
  readonly look?: (c: Context<AppEnv>, body: Uint8Array) => Response | undefined;
}

/** Lets only a JSON body through that is small enough and valid UTF-8. The schema of the route follows. */
export const requireJsonBody = jsonBody({
  whenTooLarge: "Send less at once: of long logs the last part, of documents fewer.",
});

export function jsonBody({ whenTooLarge, look }: JsonBodyRules) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const limit = c.get("services").config.MAX_BODY_BYTES;
    if (!JSON_TYPE.test(c.req.header("content-type") ?? "")) {
      return problem(c, "unsupported-media-type", "Send the body as `content-type: application/json`.");
    }
    const tooLarge = () => problem(c, "body-too-large", `A body may have ${limit} bytes at most. ${whenTooLarge}`);
    if (Number(c.req.header("content-length") ?? 0) > limit) return tooLarge();
    const bytes = await readAtMost(c.req.raw.body, limit);
    if (bytes === "too_large") return tooLarge();
    const refusal = look?.(c, bytes);
    if (refusal !== undefined) return refusal;
    try {
      const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
      c.req.bodyCache.json = Promise.resolve(body);
      // What is behind us reads the content type more narrowly than RFC 9110 writes it; the body is read already.
      const headers = new Headers(c.req.raw.headers);
      headers.set("content-type", "application/json");
      c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal: c.req.raw.signal });
    } catch {
      return problem(c, "malformed-body", "The body could not be read as JSON in UTF-8. Send a JSON object.");
    }
    await next();
  });
}

/**
 * Lets only a text of these types through that is small enough and valid UTF-8; the route reads it with `c.req.text()`.
 * @param limit bytes
 */
export function requireTextBody(types: readonly string[], limit: number) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const type = mediaType(c.req.header("content-type"));
    if (!types.includes(type)) {
      return problem(
        c,
        "unsupported-media-type",
        `Send the text as it is, as \`content-type: ${types.join("` or `")}\`.`,
      );
    }
    const tooLarge = () =>
      problem(
        c,
        "body-too-large",
        `A text may have ${limit} bytes at most. Cut it, and send the parts under names of their own.`,
      );
    if (Number(c.req.header("content-length") ?? 0) > limit) return tooLarge();
    const bytes = await readAtMost(c.req.raw.body, limit);
    if (bytes === "too_large") return tooLarge();
    try {
      const body = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      c.req.raw = new Request(c.req.url, { method: c.req.method, headers: c.req.raw.headers, body });
    } catch {
      return problem(c, "malformed-body", "The body is not UTF-8. Send the text in UTF-8.");
    }
    await next();
  });
}

/** Without parameters, in lower case. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Stops reading as soon as there is too much, so that an endless body costs no memory. */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | "too_large"> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return "too_large";
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Text that can be stored: no NUL (Postgres refuses it), no half of a surrogate pair (UTF-8 has no form for it). */
export function text(most: number) {
  return z
    .string()
    .max(most)
    .refine((value) => !value.includes("\0"), "must not hold NUL characters")
    .refine((value) => value.isWellFormed(), "must not hold lone surrogates");
}

/** Such text, trimmed, that says something. */
export function filledText(most: number) {
  return text(most)
    .refine((value) => value.trim() !== "", "must not be empty")
    .transform((value) => value.trim());
}
