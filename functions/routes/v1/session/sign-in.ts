// Signing in to the console. The token or the one-time code comes in the body, so no middleware asks for a token.

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { callerOf, credentialOf } from "../../../access/authenticate-session.ts";
import { readCode } from "../../../access/session-secrets.ts";
import type { SignedIn } from "../../../access/sign-in.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { requireJsonBody } from "../../http/input.ts";
import { Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { addressOf, refusalProblem } from "../../middleware/authenticate.ts";
import { refuseForeignSignIn, requireCookieConnection, setSessionCookie } from "../../middleware/session-cookie.ts";
import { renderSession, sessionSchema } from "./session-schema.ts";

const MAX_LENGTH = 600;

const signInSchema = z
  .union([
    z.strictObject({ token: z.string().min(1).max(MAX_LENGTH).openapi({ description: "A token." }) }),
    z.strictObject({ code: z.string().min(1).max(MAX_LENGTH).openapi({ description: "The code of a link." }) }),
  ])
  .openapi({ example: { code: "mfrggzdfmztwq2lknnwg23tpoa" } });

const route = createRoute({
  method: "post",
  path: "/v1/session",
  operationId: "signIn",
  summary: "Sign in to the console",
  description:
    "Sets the session's cookie, which only the console's own pages can use. The session has the scopes and domains of the token and ends with it, after 12 hours without use, and in any case after 30 days, or 7 if Slack made the link.",
  middleware: [requireJsonBody],
  request: { body: bodyContent(signInSchema) },
  responses: {
    200: jsonContent("The session.", sessionSchema),
    401: problemContent("The token is not valid, or the code is wrong, was used or has expired."),
    403: problemContent("A page of another site sent the request, or the connection is not encrypted."),
    429: problemContent("Too many wrong tokens or codes came from this network."),
  },
});

export const signInRoutes = createRouter().openapi(route, async (c) => {
  refuseForeignSignIn(c);
  // Before a code is used up.
  requireCookieConnection(c);
  const body = c.req.valid("json");
  const { secret, session } = "code" in body ? await redeem(c, body.code) : await signIn(c, body.token);
  setSessionCookie(c, secret);
  const { version } = c.get("services");
  return c.json(renderSession(callerOf(session), session, version), 200, { "cache-control": "no-store" });
});

/** @throws Problem for a token that is not valid */
async function signIn(c: Context<AppEnv>, token: string): Promise<SignedIn> {
  const { authenticator, sessions, log } = c.get("services");
  const result = await authenticator.authenticate(`Bearer ${token.trim()}`, addressOf(c));
  if (result.state === "accepted") return sessions.signIn(credentialOf(result.caller), c.get("requestId"));
  log("warn", "auth.refused", { reason: result.reason });
  // A malformed token is "missing"; its problem asks for a header, but this token came in the body.
  throw refusalProblem(result.reason === "missing" ? "unknown" : result.reason);
}

const HOW_TO_GET_A_LINK = "Get a new one with `dejavu console`, or sign in with a token.";

/** @throws Problem for a code that makes no session */
async function redeem(c: Context<AppEnv>, code: string): Promise<SignedIn> {
  const { sessions, log } = c.get("services");
  const from = { address: addressOf(c), requestId: c.get("requestId") };
  const result = await sessions.redeem(readCode(code), from);
  if (result.state === "signed_in") return result;
  log("warn", "auth.refused", { reason: `code_${result.state}` });
  switch (result.state) {
    case "unknown":
      throw new Problem("invalid-code", `This link is incomplete, or of another deployment. ${HOW_TO_GET_A_LINK}`);
    case "used":
      throw new Problem("invalid-code", `This link was used. It works once. ${HOW_TO_GET_A_LINK}`);
    case "expired":
      throw new Problem("invalid-code", `This link has expired. It works for 10 minutes. ${HOW_TO_GET_A_LINK}`);
    case "credential_ended":
      throw new Problem("invalid-code", `The token that made this link is no longer valid. ${HOW_TO_GET_A_LINK}`);
    case "too_many_failures":
      throw refusalProblem("too_many_failures");
  }
}
