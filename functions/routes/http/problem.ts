// RFC 9457 problem documents: a stable type, a plain sentence and the request id. The precise reason goes to the log.

import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { DependencyError, RestrictionError } from "../../dependencies.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { OLDER_SCHEMA } from "../../schemas/database/schema-version.ts";
import { type Dependency, describeDependencies } from "../../schemas/dependency.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "./app-env.ts";
import { PROBLEM_TYPE, type problemSchema } from "./problem-schema.ts";

type ProblemDocument = z.infer<typeof problemSchema>;

const TITLES = {
  "invalid-request": [422, "The request is not valid"],
  "malformed-body": [400, "The body is not JSON"],
  "unsupported-media-type": [415, "The content type is not supported"],
  "body-too-large": [413, "The body is too large"],
  "body-too-slow": [408, "The body took too long"],
  "not-found": [404, "Not found"],
  "method-not-allowed": [405, "The method is not allowed here"],
  unauthorized: [401, "A valid bearer token is needed"],
  "invalid-signature": [401, "A valid signature is needed"],
  "invalid-code": [401, "A valid sign-in link is needed"],
  "insufficient-scope": [403, "The token does not allow this"],
  "outside-domains": [403, "The token is restricted to other domains"],
  "origin-not-allowed": [403, "This origin is not allowed"],
  "https-required": [403, "The connection is not encrypted"],
  "auth-not-configured": [401, "The service's own token is not configured"],
  "request-in-progress": [409, "The first request with this key is still running"],
  "name-taken": [409, "A text of another kind has this name"],
  "label-conflict": [409, "Another domain claims a label"],
  "resolved-by-another": [409, "Another caller recorded the fix"],
  "not-resolved": [409, "The incident is not resolved"],
  "already-merged": [409, "The incident was merged into another one"],
  "already-resolved": [409, "The incident is resolved"],
  "domain-in-use": [409, "The domain holds texts"],
  "source-fixed": [409, "The environment defines this source"],
  "too-many-sources": [409, "There are too many sources"],
  "too-many-targets": [409, "There are too many notification targets"],
  "too-many-mutes": [409, "There are too many mutes"],
  "changed-meanwhile": [412, "The stored text is another one"],
  "sync-ended": [409, "The sync has ended"],
  "idempotency-key-reused": [422, "The idempotency key was used with another request"],
  "rate-limited": [429, "Too many requests"],
  "dependency-unavailable": [503, "A dependency is unavailable"],
  "schema-outdated": [503, "The database has an older schema"],
  "too-slow": [504, "The triage took too long"],
  "too-many-waiting": [503, "Too many incidents wait for their investigation"],
  misconfigured: [503, "The service is not configured"],
  internal: [500, "Something went wrong"],
} as const;
export type ProblemCode = keyof typeof TITLES;

const TYPE_PREFIX = "urn:dejavu:problem:";
/** Seconds after which a caller may try again when a dependency was unavailable. */
const RETRY_AFTER_SECONDS = 5;
const TRY_AGAIN = "Try again in a few seconds.";

export interface ProblemExtras {
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly dependencies?: readonly Dependency[];
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
  const body = problemDocument(code, detail, requestId, extras);
  const headers = { ...extras.headers, "content-type": PROBLEM_TYPE };
  return Response.json(body, { status: body.status, headers });
}

function problemDocument(
  code: ProblemCode,
  detail: string,
  requestId: string,
  { errors, dependencies }: ProblemExtras,
): ProblemDocument {
  const [status, title] = TITLES[code];
  return {
    type: TYPE_PREFIX + code,
    title,
    status,
    detail,
    ...(errors ? { errors: [...errors] } : {}),
    ...(dependencies ? { dependencies: [...dependencies] } : {}),
    request_id: requestId,
  };
}

/** The response to an uncaught error. */
export function problemOfError(error: unknown, c: Context<AppEnv>): Response {
  const { log } = c.get("services");
  if (error instanceof Problem) return problemOf(c, error);
  if (error instanceof RecallUnavailable) {
    const failed = [...new Set(error.failures.map(({ dependency }) => dependency))];
    log("error", "request.recall_unavailable", { error: error.message });
    return problemOf(
      c,
      unavailable(failed, `Recall is unavailable: ${describeDependencies(failed)} did not answer. ${TRY_AGAIN}`),
    );
  }
  if (error instanceof DependencyError) {
    log("error", "request.dependency_failed", { error: error.message });
    const { dependency, failure } = error;
    if (failure === "schema_outdated") return problemOf(c, schemaOutdated());
    const detail = `The request failed at ${describeDependencies([dependency])}. ${TRY_AGAIN}`;
    return problemOf(c, unavailable([dependency], detail));
  }
  if (error instanceof RestrictionError) return problemOf(c, outsideDomains(c.get("caller").domains ?? []));
  if (error instanceof HTTPException && error.status < 500) {
    return problem(c, "malformed-body", "The request could not be read. Send a JSON object as `application/json`.");
  }
  logBug(error, log);
  return problem(c, "internal", "The request could not be completed. The log has the reason under this request id.");
}

export function logBug(error: unknown, log: Services["log"]): void {
  log("error", "request.failed", { error: error instanceof Error ? error : "unknown" });
}

/** The problem for a request outside the domains of the caller's token. @param what it concerns */
export function outsideDomains(
  domains: readonly string[],
  what = "The request concerns another domain, or all.",
): Problem {
  const names = domains.map((name) => `\`${name}\``).join(", ");
  return new Problem("outside-domains", `This token is restricted to ${names}. ${what} Use a token for it.`);
}

/** The problem for unavailable dependencies; `detail` says what to do. */
export function unavailable(dependencies: readonly Dependency[], detail: string): Problem {
  const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
  return new Problem("dependency-unavailable", detail, { dependencies, headers });
}

/** Seconds in which an operator applies migrations. */
const SCHEMA_RETRY_SECONDS = 60;

/** The problem for a request that needs migrations which the database lacks. */
function schemaOutdated(): Problem {
  const headers = { "retry-after": String(SCHEMA_RETRY_SECONDS) };
  return new Problem("schema-outdated", OLDER_SCHEMA, { dependencies: ["database"], headers });
}

/** Seconds in which the queue investigates some incidents, also with a slow model. */
const WAITING_RETRY_SECONDS = 60;

/** The problem for a caller whose incidents fill their share of the queue; `detail` says what is not stored. */
export function tooManyWaiting(limit: number, detail: string): Problem {
  const reason = `MAX_WAITING_INCIDENTS is ${limit}, and as many incidents of this token wait for their investigation.`;
  const headers = { "retry-after": String(WAITING_RETRY_SECONDS) };
  return new Problem("too-many-waiting", `${detail} ${reason} Send it again later, or raise the setting.`, { headers });
}

function problemOf(c: Context<AppEnv>, { code, message, extras }: Problem): Response {
  return problem(c, code, message, extras);
}
