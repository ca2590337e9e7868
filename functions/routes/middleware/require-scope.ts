// Scope requirements of routes: one declaration for the check and for the API document.

import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import type { Scope } from "../../access/caller.ts";
import type { AppEnv } from "../http/app-env.ts";
import { problem } from "../http/problem.ts";

/** Name of the bearer scheme in the API document. */
export const BEARER_SCHEME = "token";

/** Spread it into a route's definition; `more` runs after the check. @param allowed a scope, or several of which one is enough */
export function scoped(allowed: Scope | readonly Scope[], ...more: MiddlewareHandler<AppEnv>[]) {
  const scopes = typeof allowed === "string" ? [allowed] : allowed;
  // In OpenAPI, several requirements are alternatives; scopes within one requirement are all needed.
  return {
    security: scopes.map((scope) => ({ [BEARER_SCHEME]: [scope] })),
    middleware: [requireScope(...scopes), ...more],
  };
}

/** Accepts callers with at least one of the scopes. */
export function requireScope(...scopes: readonly Scope[]): MiddlewareHandler<AppEnv> {
  return createMiddleware<AppEnv>(async (c, next) => {
    if (!scopes.some((scope) => c.get("caller").scopes.includes(scope))) {
      const names = scopes.map((scope) => `\`${scope}\``).join(" or ");
      const challenge = `Bearer realm="dejavu", error="insufficient_scope", scope="${scopes.join(" ")}"`;
      return problem(c, "insufficient-scope", `This operation needs a token with the scope ${names}.`, {
        headers: { "www-authenticate": challenge },
      });
    }
    await next();
  });
}
