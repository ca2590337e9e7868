// Authentication by bearer token, or by the cookie of a console session. The caller gets a plain sentence, the log the precise reason.

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { bearerOfBasic, type Refusal } from "../../access/authenticate.ts";
import { settle } from "../../dependencies.ts";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../http/problem.ts";
import { tooManyRequests } from "./rate-limit.ts";
import { refuseForeignPage, sessionCookie } from "./session-cookie.ts";

/** Paths of senders that take credentials in an address only. Elsewhere, a browser would send those that it remembers. */
const BASIC_PATHS = "/v1/alerts/";

/** Accepts the service token, a valid access token or the cookie of a console session, and sets the caller. */
export const requireToken = createMiddleware<AppEnv>(async (c, next) => {
  const { authenticator, sessions, log } = c.get("services");
  const takesBasic = c.req.path.startsWith(BASIC_PATHS);
  const sent = c.req.header("authorization");
  const header = takesBasic ? bearerOfBasic(sent) : sent;
  const cookie = header === undefined ? sessionCookie(c) : undefined;
  if (cookie !== undefined) refuseForeignPage(c);
  const address = addressOf(c);
  const result = await (cookie === undefined
    ? authenticator.authenticate(header, address)
    : sessions.authenticate(cookie, address));
  if (result.state === "refused") {
    log("warn", "auth.refused", { reason: result.reason });
    throw takesBasic && !sent ? basicChallenge() : refusalProblem(result.reason);
  }
  const { caller, recordUse, session } = result;
  c.set("caller", caller);
  c.set("session", session);
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

/** Cloudflare sets this header; clients cannot forge it. Without it, wrong tokens of all clients count together. */
export function addressOf(c: Context<AppEnv>): string {
  return c.req.header("cf-connecting-ip") ?? "unknown";
}

export function refusalProblem(reason: Refusal): Problem {
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
    case "session_unknown":
    case "session_ended":
      return new Problem("unauthorized", "Your session has ended. Sign in to the console again.", challenge());
    case "too_many_failures":
      return tooManyRequests("Too many invalid tokens came from your address.");
  }
}

/** Some senders send the credentials of an address only after a challenge for them. */
function basicChallenge(): Problem {
  return new Problem(
    "unauthorized",
    "Send the header `Authorization: Bearer <token>`, or the token as the password in the address: `https://dejavu:<token>@…`.",
    { headers: { "www-authenticate": `Basic realm="dejavu", ${challenge().headers["www-authenticate"]}` } },
  );
}

function challenge(error?: "invalid_token") {
  return { headers: { "www-authenticate": `Bearer realm="dejavu"${error ? `, error="${error}"` : ""}` } };
}
