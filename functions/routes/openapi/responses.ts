// Responses that several routes share: the document holds each once. Pure functions.

import { exampleProblem } from "../http/problem.ts";

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

/** When a problem occurs, by status; a route may say it more exactly. */
const PROBLEMS: Readonly<Record<number, string>> = {
  400: "The body could not be read.",
  401: "The bearer token is missing or not valid.",
  403: "The token lacks the scope that the operation needs.",
  404: "The record does not exist.",
  408: "The body took too long to arrive.",
  409: "The stored record does not allow this.",
  412: "The stored text is another one.",
  413: "The body is too large.",
  415: "The operation does not accept this content type.",
  422: "The request is not valid; `errors` names the fields.",
  429: "Too many requests.",
  500: "An internal error. The log holds the reason under the request id.",
  503: "The database is unavailable.",
  504: "The request took too long.",
};

export const PROBLEM_RESPONSES = Object.fromEntries(
  Object.entries(PROBLEMS).map(([status, description]) => [status, problemOf(Number(status), description)]),
);

/** The problems of a route that its traits tell, by status. */
export function commonResponsesOf({ scopes, hasBody, hasParameters }: RouteTraits) {
  const statuses = [
    ...(scopes ? [401, 429, 503] : []),
    ...(scopes?.length ? [403] : []),
    ...(hasBody ? [400, 408, 413, 415] : []),
    ...(hasBody || hasParameters ? [422] : []),
    500,
  ];
  return Object.fromEntries(statuses.map((status) => [status, sharedProblem(status)]));
}

/** A route's own response: a reference with its description if it is a problem alone, else with the common headers. */
export function responseOf(status: number, response: Response) {
  const types = Object.keys(response.content ?? {});
  const isProblem = types.includes(PROBLEM_TYPE) && status in PROBLEMS;
  if (isProblem && types.length === 1) return sharedProblem(status, response.description);
  const example = isProblem ? problemOf(status, response.description).content : {};
  return withCommonHeaders(status, {
    ...response,
    ...(response.content && { content: { ...response.content, ...example } }),
  });
}

function sharedProblem(status: number, description = PROBLEMS[status]) {
  const $ref = `#/components/responses/${status}`;
  return description === PROBLEMS[status] ? { $ref } : { $ref, description };
}

function withCommonHeaders<R extends Response>(status: number, response: R) {
  const isProblem = response.content !== undefined && PROBLEM_TYPE in response.content;
  const isRetryable = isProblem && (status === 429 || status === 503);
  const headers = {
    "x-request-id": header("RequestId"),
    ...(isRetryable && { "retry-after": header("RetryAfter") }),
    ...response.headers,
  };
  return { ...response, headers };
}

function problemOf(status: number, description: string) {
  const schema = { $ref: "#/components/schemas/Problem" };
  const extras = status === 422 ? { errors: [{ field: "limit", message: "must be at most 100" }] } : {};
  const content = { [PROBLEM_TYPE]: { schema, example: exampleProblem(status, description, extras) } };
  return withCommonHeaders(status, { description, content });
}

function header(name: keyof typeof COMMON_HEADERS) {
  return { $ref: `#/components/headers/${name}` };
}
