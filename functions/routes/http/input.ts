// Limits and checks of every request body: size, encoding, and strings that Postgres can store.

import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { binaryFormat, binaryKind } from "../../../lib/text/binary-text.ts";
import type { StartTimer } from "../../timers.ts";
import type { AppEnv } from "./app-env.ts";
import { useIssueMessages } from "./issue-messages.ts";
import { problem } from "./problem.ts";

useIssueMessages();

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

export interface JsonBodyRules {
  /** Advice in the error for a body that is too large. */
  readonly whenTooLarge: string;
  /** Also accepts JSON that is sent as `text/plain`. */
  readonly isPlainText?: boolean | undefined;
  /** Checks the raw bytes before they are parsed as JSON, such as a signature. A response ends the request. */
  readonly look?: (c: Context<AppEnv>, body: Uint8Array) => Response | undefined;
}

/** Accepts only a JSON body within the size limit and in valid UTF-8. The route's schema is checked afterwards. */
export const requireJsonBody = jsonBody({
  whenTooLarge: "Send less at once: the end of long logs, or fewer documents.",
});

export function jsonBody({ whenTooLarge, isPlainText = false, look }: JsonBodyRules) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const { config, startTimer } = c.get("services");
    const { MAX_BODY_BYTES: limit, BODY_TIMEOUT_MS } = config;
    const contentType = c.req.header("content-type") ?? "";
    if (!JSON_TYPE.test(contentType) && !(isPlainText && mediaType(contentType) === "text/plain")) {
      return problem(c, "unsupported-media-type", "Send the body as `content-type: application/json`.");
    }
    const tooLarge = () => problem(c, "body-too-large", `A body may have at most ${limit} bytes. ${whenTooLarge}`);
    if (Number(c.req.header("content-length") ?? 0) > limit) return tooLarge();
    const bytes = await readAtMost(c.req.raw.body, { bytes: limit, ms: BODY_TIMEOUT_MS, startTimer });
    if (bytes === "too_large") return tooLarge();
    if (bytes === "too_slow") return bodyTooSlow(c);
    const refusal = look?.(c, bytes);
    if (refusal !== undefined) return refusal;
    try {
      const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
      c.req.bodyCache.json = Promise.resolve(body);
      // Later validators read the content type more strictly than RFC 9110 defines it. The body is already parsed.
      const headers = new Headers(c.req.raw.headers);
      headers.set("content-type", "application/json");
      c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal: c.req.raw.signal });
    } catch {
      return problem(c, "malformed-body", "The body is not JSON in UTF-8. Send a JSON object.");
    }
    await next();
  });
}

/**
 * Accepts only a text of these types within the size limit and in valid UTF-8. The route reads it with `c.req.text()`.
 * @param limit bytes
 */
export function requireTextBody(types: readonly string[], limit: number) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const type = mediaType(c.req.header("content-type"));
    if (!types.includes(type)) {
      return problem(c, "unsupported-media-type", `Send the plain text as \`content-type: ${types.join("` or `")}\`.`);
    }
    const tooLarge = () =>
      problem(
        c,
        "body-too-large",
        `A text may have at most ${limit} bytes. Split it and send the parts under separate names.`,
      );
    if (Number(c.req.header("content-length") ?? 0) > limit) return tooLarge();
    const { config, startTimer } = c.get("services");
    const bytes = await readAtMost(c.req.raw.body, { bytes: limit, ms: config.BODY_TIMEOUT_MS, startTimer });
    if (bytes === "too_large") return tooLarge();
    if (bytes === "too_slow") return bodyTooSlow(c);
    const binary = (kind: string) =>
      problem(c, "unsupported-media-type", `The body is ${kind}, and no text. Send the text itself, in UTF-8.`);
    // The first bytes, one character each: they may be no UTF-8.
    const format = binaryFormat(String.fromCharCode(...bytes.subarray(0, 64)));
    if (format !== null) return binary(format);
    try {
      const body = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      const kind = body.includes("\0") ? "binary data" : binaryKind(body);
      if (kind !== null) return binary(kind);
      c.req.raw = new Request(c.req.url, { method: c.req.method, headers: c.req.raw.headers, body });
    } catch {
      return problem(c, "malformed-body", "The body is not UTF-8. Send the text in UTF-8.");
    }
    await next();
  });
}

/** The media type without parameters, in lower case. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

export function bodyTooSlow(c: Context<AppEnv>): Response {
  const seconds = c.get("services").config.BODY_TIMEOUT_MS / 1_000;
  return problem(c, "body-too-slow", `The whole body must arrive within ${seconds} seconds. Send it again.`);
}

/**
 * Stops reading above the limit of bytes, so that an endless body costs no memory, and after the limit of milliseconds,
 * so that a sender of one byte a second holds no request.
 */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  limit: { readonly bytes: number; readonly ms: number; readonly startTimer: StartTimer },
): Promise<Uint8Array | "too_large" | "too_slow"> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  const { promise: timeIsUp, resolve } = Promise.withResolvers<"too_slow">();
  const stopTimer = limit.startTimer("request_body", limit.ms, () => resolve("too_slow"));
  // Not awaited: a source that hangs may never confirm that it stopped.
  const giveUp = <Reason>(reason: Reason): Reason => {
    reader.cancel().catch(() => undefined);
    return reason;
  };
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), timeIsUp]);
      if (next === "too_slow") return giveUp(next);
      if (next.done) break;
      size += next.value.byteLength;
      if (size > limit.bytes) return giveUp("too_large" as const);
      chunks.push(next.value);
    }
  } finally {
    stopTimer();
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

const COUNT = new Intl.NumberFormat("en-US");

/**
 * Text that can be stored: without NUL, which Postgres rejects, and without lone surrogates, which UTF-8 cannot encode.
 * @param advice a sentence on what to do with a longer text
 */
export function text(maxLength: number, advice?: string) {
  const tooLong = `must have at most ${COUNT.format(maxLength)} characters${advice === undefined ? "" : `. ${advice}`}`;
  return z
    .string()
    .max(maxLength, tooLong)
    .refine((value) => !value.includes("\0"), "must not contain NUL characters")
    .refine((value) => value.isWellFormed(), "must not contain lone surrogates")
    .check(({ value, issues }) => {
      const kind = value.includes("\0") ? null : binaryKind(value);
      if (kind !== null)
        issues.push({ code: "custom", message: `is ${kind}, and no text. Send the text itself`, input: value });
    });
}

/** Such text, trimmed and not empty. */
export function filledText(maxLength: number, advice?: string) {
  return text(maxLength, advice)
    .refine((value) => value.trim() !== "", "must not be empty")
    .transform((value) => value.trim());
}

const personName = filledText(128).openapi("PersonName", {
  description: "Who does it. Who has signed in as a person is always themselves; by default the name of the token.",
  example: "dana",
});

/** The field of a body for the name of the person: see the function `personName`. */
export const personField = personName.optional();
