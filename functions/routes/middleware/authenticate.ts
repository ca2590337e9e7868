// Bearer token authentication. The caller gets a plain sentence, the log the precise reason.

import { createMiddleware } from "hono/factory";
import type { Refusal } from "../../access/authenticate.ts";
import { settle } from "../../dependencies.ts";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../http/problem.ts";
import { tooManyRequests } from "./rate-limit.ts";

/** Accepts the service token or a valid access token, and sets the caller. */
export const requireToken = createMiddleware<AppEnv>(async (c, next) => {
  const { authenticator, log } = c.get("services");
  // Cloudflare sets this header; clients cannot forge it. Other platforms have no rate limit that reads it.
  const result = await authenticator.authenticate(c.req.header("authorization"), c.req.header("cf-connecting-ip"));
  if (result.state === "refused") {
    log("warn", "auth.refused", { reason: result.reason });
    throw problemOf(result.reason);
  }
  const { caller, recordUse } = result;
  c.set("caller", caller);
  // Everything that follows uses these services, so no route can forget the restriction.
  if (caller.domains !== null) c.set("services", c.get("services").restrictedTo(caller.domains));
  if (recordUse) {
    const recording = settle(recordUse()).then((recorded) => {
      if (!recorded.ok) log("warn", "token.use_not_recorded", { token_id: caller.id, error: recorded.error.message });
    });
    c.get("runInBackground")(recording);
  }
  await next();
});

function problemOf(reason: Refusal): Problem {
  switch (reason) {
    case "missing":
      return new Problem("unauthorized", "Send the header `Authorization: Bearer <token>`.", challenge());
    case "unknown":
      return new Problem(
        "unauthorized",
        "This token is unknown. Check that it is complete and belongs to this deployment.",
        challenge("invalid_token"),
      );
    case "revoked":
      return new Problem("unauthorized", "This token was revoked. Ask for a new one.", challenge("invalid_token"));
    case "expired":
      return new Problem("unauthorized", "This token has expired. Ask for a new one.", challenge("invalid_token"));
    case "not_configured":
      return new Problem(
        "auth-not-configured",
        "The secret DEJAVU_TOKEN is not set, so only tokens that begin with djv_ are accepted. Set it to create such tokens.",
        challenge(),
      );
    case "too_many_failures":
      return tooManyRequests("Too many invalid tokens came from your address.");
  }
}

function challenge(error?: "invalid_token") {
  return { headers: { "www-authenticate": `Bearer realm="dejavu"${error ? `, error="${error}"` : ""}` } };
}
