// Rate limits for each caller: one for all requests, and one for requests that run a triage.

import { createMiddleware } from "hono/factory";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../http/problem.ts";

/** The period of the limits in wrangler.toml. The binding reports no remaining time. */
const RETRY_AFTER_SECONDS = 60;

/** For every authenticated request. */
export const limitRequests = limit("requests", "This token sent too many requests.");

/** For a route that runs a triage while the client waits; place it right after the scope. Queued incidents do not count. */
export const limitTriage = limit("triages", "This token requested too many triages.");

export function tooManyRequests(reason: string): Problem {
  return new Problem("rate-limited", `${reason} Wait a minute, then send requests more slowly.`, {
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  });
}

function limit(name: keyof Services["limits"], reason: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const isWithin = await c.get("services").limits[name](c.get("caller").id);
    if (!isWithin) throw tooManyRequests(reason);
    await next();
  });
}
