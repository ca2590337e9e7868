// One JSON request to an HTTP API that a user named: bounded in time and size, without redirects and without retries.

import { callDependency } from "../../dependencies.ts";
import type { Dependency } from "../../schemas/dependency.ts";
import type { StartTimer } from "../../timers.ts";
import { fetchDirect } from "./fetch-direct.ts";
import { failureOf, parseJson, readStart } from "./http-response.ts";

export interface JsonRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  /** Beside `content-type: application/json`, which it may replace. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text; null without a body. */
  readonly body: string | null;
}

export interface SendLimits {
  readonly dependency: Dependency;
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
}

const MAX_RESPONSE_BYTES = 262_144;

/** @returns the JSON of the response; undefined if it is none. @throws DependencyError also for a status other than 2xx */
export async function sendJson(
  { url, method, headers, body }: JsonRequest,
  { dependency, timeoutMs, startTimer }: SendLimits,
): Promise<unknown> {
  return callDependency({ dependency, timeoutMs, startTimer, retries: 0 }, async (signal) => {
    const response = await fetchDirect(url, {
      method,
      headers: { ...(body !== null && { "content-type": "application/json" }), ...headers },
      body,
      signal,
    });
    if (response.ok) return parseJson(await readStart(response, MAX_RESPONSE_BYTES));
    await response.body?.cancel();
    throw failureOf(dependency, response);
  });
}
