// Owns how many requests a caller may make: every request counts, and those that cost a model count once more.

import { createMiddleware } from "hono/factory";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../http/problem.ts";

/** A limit only says yes or no. After its whole period, which wrangler.toml sets, there is room for sure. */
const RETRY_AFTER_SECONDS = 60;

/** For every request that has a caller. */
export const limitRequests = limit("requests", "This token makes too many requests.");

/** For a route that asks a model while its caller waits; put it right after the scope. What is queued waits its turn. */
export const limitTriage = limit("triages", "This token asks for too many triages.");

export function tooManyRequests(what: string): Problem {
  return new Problem("rate-limited", `${what} Wait a minute, then go on at a slower pace.`, {
    headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
  });
}

function limit(name: keyof Services["limits"], what: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const isWithin = await c.get("services").limits[name](c.get("caller").id);
    if (!isWithin) throw tooManyRequests(what);
    await next();
  });
}
