// Owns how a request without a good token is refused: plain words for the caller, the precise reason for the log.

import { createMiddleware } from "hono/factory";
import type { Refusal } from "../../access/authenticate.ts";
import { settle } from "../../dependencies.ts";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../http/problem.ts";
import { tooManyRequests } from "./rate-limit.ts";

/** Lets a request through that presents the service's own token or a good one on record, and says who the caller is. */
export const requireToken = createMiddleware<AppEnv>(async (c, next) => {
  const { authenticator, log } = c.get("services");
  // The platform sets this header and lets nobody forge it. Elsewhere there is no limit that reads it.
  const result = await authenticator.authenticate(c.req.header("authorization"), c.req.header("cf-connecting-ip"));
  if (result.state === "refused") {
    log("warn", "auth.refused", { reason: result.reason });
    throw problemOf(result.reason);
  }
  const { caller, recordUse } = result;
  c.set("caller", caller);
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
        "This token is not known here. Check that it is whole, and of this Dejavu.",
        challenge("invalid_token"),
      );
    case "revoked":
      return new Problem("unauthorized", "This token was revoked. Ask for a new one.", challenge("invalid_token"));
    case "expired":
      return new Problem("unauthorized", "This token has expired. Ask for a new one.", challenge("invalid_token"));
    case "not_configured":
      return new Problem(
        "auth-not-configured",
        "The secret DEJAVU_TOKEN is not set, so only tokens that begin with djv_ are accepted. Set it to make such tokens.",
        challenge(),
      );
    case "too_many_failures":
      return tooManyRequests("Too many wrong tokens came from your address.");
  }
}

function challenge(error?: "invalid_token") {
  return { headers: { "www-authenticate": `Bearer realm="dejavu"${error ? `, error="${error}"` : ""}` } };
}
