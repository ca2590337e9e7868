// The application in this process, for demos on a stack of their own.

import type { ExecutionContext } from "hono";
import { createApp } from "../../functions/app.ts";
import type { Environment } from "../../functions/config.ts";
import { createServices } from "../../functions/services.ts";

/** The servers are on this machine: a late answer means that it is busy. */
const PATIENT = { DEPENDENCY_TIMEOUT_MS: "20000", TRIAGE_BUDGET_MS: "120000" };

/**
 * Sends requests to the application in this process, and waits for the background tasks of each, which fill the memory.
 * A failure shows in the response: the log would stand between the lines of the start.
 */
export function createPoster(env: Environment, token: string): (path: string, body: object) => Promise<unknown> {
  const app = createApp(createServices({ ...env, ...PATIENT }, { log: () => {} }));
  return async (path, body) => {
    const tasks: Promise<unknown>[] = [];
    const context: ExecutionContext = {
      waitUntil: (task) => void tasks.push(task),
      passThroughOnException: () => {},
      props: {},
    };
    const request = new Request(`http://127.0.0.1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const response = await app.fetch(request, {}, context);
    const answer: unknown = await response.json();
    // A task may add another.
    while (tasks.length > 0) await tasks.shift();
    if (!response.ok) throw new Error(`${path} ended with status ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
}
