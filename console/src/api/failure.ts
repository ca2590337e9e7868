// Failed requests as values: every view shows them in the same way.

import type { Problem } from "../../../client/client.js";

export interface Failure {
  /** Status of the response; null if there was none. */
  readonly status: number | null;
  readonly title: string;
  /** What is wrong and what to do. */
  readonly detail: string;
  readonly problem: Problem | null;
}

export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  | { readonly ok: false; readonly failure: Failure };

/** What the client's calls resolve to. */
export interface Reply<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Waits for a request of the client. Never rejects, except for a request that was aborted. */
export async function settle<T>(request: Promise<Reply<T>>): Promise<Result<T>> {
  try {
    const { data, error, response } = await request;
    if (response.ok) return { ok: true, data: data as T, response };
    return { ok: false, failure: failureOf(response, error) };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    return { ok: false, failure: error instanceof SyntaxError ? UNREADABLE : UNREACHABLE };
  }
}

/** The body is not JSON, or it is cut off. */
const UNREADABLE: Failure = {
  status: null,
  title: "The answer cannot be read",
  detail: "The connection may have broken in the middle. Try again.",
  problem: null,
};

export const UNREACHABLE: Failure = {
  status: null,
  title: "Dejavu cannot be reached",
  detail: "The request got no answer. Check the connection, then try again.",
  problem: null,
};

/** Of a session that ended while the page was open. */
const ENDED: Failure = {
  status: 401,
  title: "Your session had ended",
  detail: "Nothing was changed. Sign in, then try again.",
  problem: null,
};

export function failureOf(response: Response, body: unknown): Failure {
  if (response.status === 401 && !response.url.endsWith("/v1/session")) return ENDED;
  if (isProblem(body)) return { status: response.status, title: body.title, detail: body.detail, problem: body };
  return {
    status: response.status,
    title: `Dejavu answered with status ${response.status}`,
    detail: "The answer is no problem document of Dejavu. A proxy may have sent it. Try again.",
    problem: null,
  };
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "type" in body && "detail" in body && "title" in body;
}
