// Owns how a route says what its caller must be allowed: one declaration for the check and for the API document.

import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Scope } from "../access/caller.ts";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

/** The name of the bearer token in the API document. */
export const BEARER_SCHEME = "token";

/** Spread it into a route's definition; `more` runs after the check. */
export function scoped(scope: Scope, ...more: MiddlewareHandler<AppEnv>[]) {
  return { security: [{ [BEARER_SCHEME]: [scope] }], middleware: [requireScope(scope), ...more] };
}

export function requireScope(scope: Scope): MiddlewareHandler<AppEnv> {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!c.get("caller").scopes.includes(scope)) {
      return problem(c, "insufficient-scope", `This needs a token with the scope \`${scope}\`, which yours lacks.`, {
        headers: { "www-authenticate": `Bearer realm="dejavu", error="insufficient_scope", scope="${scope}"` },
      });
    }
    await next();
  });
}
