// Responses that every route shares, so that no route declares them. Pure functions.

import { exampleProblem, type ProblemExtras } from "../http/problem.ts";

export interface RouteTraits {
  /** Scopes of which the token needs one; undefined for a route without a token. */
  readonly scopes: readonly string[] | undefined;
  readonly hasBody: boolean;
  readonly hasParameters: boolean;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

export const PROBLEM_TYPE = "application/problem+json";

export const COMMON_HEADERS = {
  RequestId: {
    description: "The request's id in the log.",
    schema: { type: "string" as const },
    example: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  },
  RetryAfter: {
    description: "Seconds to wait before a retry.",
    schema: { type: "integer" as const },
    example: 5,
  },
};

const INVALID_FIELD = { errors: [{ field: "limit", message: "must be at most 100" }] };

export const COMMON_RESPONSES = {
  MalformedBody: problemOf(400, "The body could not be read."),
  Unauthorized: problemOf(401, "The bearer token is missing or not valid."),
  BodyTooSlow: problemOf(408, "The body took too long to arrive."),
  BodyTooLarge: problemOf(413, "The body is too large."),
  UnsupportedMediaType: problemOf(415, "The operation does not accept this content type."),
  InvalidRequest: problemOf(422, "The request is not valid; `errors` names the fields.", INVALID_FIELD),
  RateLimited: problemOf(429, "Too many requests."),
  Internal: problemOf(500, "An internal error. The log holds the reason under the request id."),
};

/** The common responses of a route, by status. */
export function commonResponsesOf({ scopes, hasBody, hasParameters }: RouteTraits) {
  return {
    ...(scopes && {
      401: shared("Unauthorized"),
      ...(scopes.length > 0 && { 403: problemOf(403, `The token lacks the scope \`${scopes.join("` or `")}\`.`) }),
      429: shared("RateLimited"),
    }),
    ...(hasBody && {
      400: shared("MalformedBody"),
      408: shared("BodyTooSlow"),
      413: shared("BodyTooLarge"),
      415: shared("UnsupportedMediaType"),
    }),
    ...((hasBody || hasParameters) && { 422: shared("InvalidRequest") }),
    500: shared("Internal"),
  };
}

/** Adds the common headers to a route's own response. */
export function withCommonHeaders<R extends Response>(status: number, response: R) {
  const isProblem = response.content !== undefined && PROBLEM_TYPE in response.content;
  const isRetryable = isProblem && (status === 429 || status === 503);
  const headers = {
    "x-request-id": header("RequestId"),
    ...(isRetryable && { "retry-after": header("RetryAfter") }),
    ...response.headers,
  };
  return { ...response, headers };
}

function problemOf(status: number, description: string, extras: ProblemExtras = {}) {
  const schema = { $ref: "#/components/schemas/Problem" };
  const content = { [PROBLEM_TYPE]: { schema, example: exampleProblem(status, description, extras) } };
  return withCommonHeaders(status, { description, content });
}

function shared(name: keyof typeof COMMON_RESPONSES) {
  return { $ref: `#/components/responses/${name}` };
}

function header(name: keyof typeof COMMON_HEADERS) {
  return { $ref: `#/components/headers/${name}` };
}
