// Owns who may call: one bearer token, compared in constant time.

import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { SERVICE_CALLER } from "../access/caller.ts";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Refuses every request without the configured token; without a configured token it refuses all. */
export const requireToken = createMiddleware<AppEnv>(async (c, next) => {
  const expected = c.get("services").config.DEJAVU_TOKEN;
  if (expected === undefined) {
    return problem(
      c,
      "auth-not-configured",
      "The service has no token configured, so it refuses every request. Set the secret DEJAVU_TOKEN.",
    );
  }
  const presented = BEARER.exec(c.req.header("authorization") ?? "")?.[1];
  if (presented === undefined || !sameSecret(presented, expected)) {
    return problem(c, "unauthorized", "Send the header `Authorization: Bearer <token>` with the service's token.", {
      headers: { "www-authenticate": 'Bearer realm="dejavu"' },
    });
  }
  c.set("caller", SERVICE_CALLER);
  await next();
});

/** Compares digests, so that neither the time nor the length says how close a guess was. */
function sameSecret(presented: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(presented), digest(expected));
}
