// Owns what a caller sees of an error: an RFC 9457 problem document with a stable type, plain words and the request's
// id. The precise reason goes to the log.

import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { OutsideError } from "../stores/outside.ts";
import { KnowledgeUnavailable } from "../triage/recall.ts";
import type { AppEnv } from "./app-env.ts";

export const problemSchema = z.object({
  type: z.string().describe("Stable; compare this, not the words."),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().describe("What is wrong and what to do."),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  systems: z.array(z.string()).optional().describe("The dependencies that failed."),
  request_id: z.string(),
});

const TITLES = {
  "invalid-request": [422, "The request is not valid"],
  "malformed-body": [400, "The body is not JSON"],
  "unsupported-media-type": [415, "The content type is not supported"],
  "body-too-large": [413, "The body is too large"],
  "not-found": [404, "Not found"],
  "method-not-allowed": [405, "The method is not allowed here"],
  unauthorized: [401, "A valid bearer token is needed"],
  "invalid-signature": [401, "The signature is not valid"],
  "insufficient-scope": [403, "The token does not allow this"],
  "auth-not-configured": [401, "No token is accepted"],
  "request-in-progress": [409, "The first request with this key is still running"],
  "idempotency-key-reused": [422, "The idempotency key belongs to another request"],
  "dependency-unavailable": [503, "A dependency is unavailable"],
  misconfigured: [503, "The service is not configured"],
  internal: [500, "Something went wrong"],
} as const;
export type ProblemCode = keyof typeof TITLES;

const TYPE_PREFIX = "urn:dejavu:problem:";
/** Seconds after which a caller may try again when a dependency was away. */
const RETRY_AFTER_SECONDS = 5;

export interface ProblemExtras {
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly systems?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by a route to end the request with a problem document. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}

export function problem(c: Context<AppEnv>, code: ProblemCode, detail: string, extras: ProblemExtras = {}): Response {
  return problemResponse(code, detail, c.get("requestId"), extras);
}

export function problemResponse(
  code: ProblemCode,
  detail: string,
  requestId: string,
  extras: ProblemExtras = {},
): Response {
  const [status, title] = TITLES[code];
  const { errors, systems, headers } = extras;
  const body = {
    type: TYPE_PREFIX + code,
    title,
    status,
    detail,
    ...(errors ? { errors } : {}),
    ...(systems ? { systems } : {}),
    request_id: requestId,
  };
  return Response.json(body, { status, headers: { ...headers, "content-type": "application/problem+json" } });
}

/** The answer to an error that nothing caught on the way. */
export function problemOfError(error: unknown, c: Context<AppEnv>): Response {
  const { log } = c.get("services");
  const request_id = c.get("requestId");
  if (error instanceof Problem) return problem(c, error.code, error.message, error.extras);
  if (error instanceof KnowledgeUnavailable) {
    const systems = [...new Set(error.failures.map((failure) => failure.system))];
    log("error", "request.knowledge_unavailable", { request_id, error: error.message });
    return unavailable(c, systems, `Nothing can be searched now: ${systems.join(" and ")} did not answer.`);
  }
  if (error instanceof OutsideError) {
    log("error", "request.dependency_failed", { request_id, error: error.message });
    return unavailable(c, [error.system], `${error.system} did not answer as it should.`);
  }
  if (error instanceof HTTPException && error.status < 500) {
    return problem(c, "malformed-body", "The request could not be read. Send a JSON object as `application/json`.");
  }
  log("error", "request.failed", { request_id, error: error instanceof Error ? error.name : "unknown" });
  // The name and stack of a bug are for the operator; they hold no request content.
  console.error(error instanceof Error ? error.stack : error);
  return problem(c, "internal", "The request could not be completed. The log has the reason under this request id.");
}

function unavailable(c: Context<AppEnv>, systems: readonly string[], detail: string): Response {
  return problem(c, "dependency-unavailable", `${detail} Try again in a few seconds.`, {
    systems,
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  });
}
