// The caller's own session of the console, and one-time links that sign in.

import { createRoute, z } from "@hono/zod-openapi";
import { credentialOf } from "../../../access/authenticate-session.ts";
import { revokeConsoleSession } from "../../../access/console-sessions.ts";
import { signInLink } from "../../../answer-view/console-link.ts";
import { personField } from "../../http/input.ts";
import { Problem } from "../../http/problem.ts";
import { signInOrigin } from "../../http/public-origin.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { actorOf } from "../../middleware/audit.ts";
import { BEARER_SCHEME } from "../../middleware/require-scope.ts";
import { deleteSessionCookie } from "../../middleware/session-cookie.ts";
import { renderSession, sessionSchema } from "./session-schema.ts";

/** Any token, whatever its scopes. */
const ANY_TOKEN = [{ [BEARER_SCHEME]: [] }];

const getRoute = createRoute({
  method: "get",
  path: "/v1/session",
  operationId: "getSession",
  summary: "Show who the caller is and what it may do",
  description: "For a token and for a session. The console shows only what the scopes allow.",
  security: ANY_TOKEN,
  responses: {
    200: jsonContent("The caller.", sessionSchema),
  },
});

const signOutRoute = createRoute({
  method: "delete",
  path: "/v1/session",
  operationId: "signOut",
  summary: "End the session whose cookie the request has",
  description: "Sign out. A request with a token has no session, and changes nothing.",
  security: ANY_TOKEN,
  responses: {
    204: { description: "Ended." },
  },
});

const codeRoute = createRoute({
  method: "post",
  path: "/v1/session/codes",
  operationId: "createSignInCode",
  summary: "Create a link that signs in to the console once",
  description: "A session cannot create one: it would outlive its end.",
  security: ANY_TOKEN,
  request: {
    query: z.strictObject({
      name: personField.openapi({
        description: "Who signs in: what the session records is in this name. By default in that of the token.",
      }),
    }),
  },
  responses: {
    201: jsonContent(
      "The link.",
      z
        .object({
          code: z.string().describe("Shown only once. It works once."),
          url: z
            .url()
            .nullable()
            .describe(
              "The code is in the fragment, which browsers do not send. Null without PUBLIC_URL, except on this machine: the link is then `/console#code=…` at the address that you use.",
            ),
          expires_at: z.string().describe("10 minutes later."),
        })
        .openapi({
          example: {
            code: "mfrggzdfmztwq2lknnwg23tpoa",
            url: "https://dejavu.example.com/console#code=mfrggzdfmztwq2lknnwg23tpoa",
            expires_at: "2026-11-22T09:10:00.000Z",
          },
        }),
    ),
    403: problemContent("The caller is a session."),
  },
});

export const sessionRoutes = createRouter()
  .openapi(getRoute, (c) => {
    const { version } = c.get("services");
    return c.json(renderSession(c.get("caller"), c.get("session"), version), 200, { "cache-control": "no-store" });
  })
  .openapi(signOutRoute, async (c) => {
    const session = c.get("session");
    if (session === null) return c.body(null, 204);
    const { database, now, sessions } = c.get("services");
    await revokeConsoleSession(database, { id: session.id, now: now(), by: actorOf(c) });
    sessions.drop(session.id);
    deleteSessionCookie(c);
    return c.body(null, 204);
  })
  .openapi(codeRoute, async (c) => {
    if (c.get("session") !== null)
      throw new Problem("insufficient-scope", "A session cannot create a link. Use a token: `dejavu console` does.");
    const { database, sessions } = c.get("services");
    const { code, expiresAt } = await sessions.createCode(
      database,
      credentialOf(c.get("caller"), c.req.valid("query").name),
    );
    const origin = signInOrigin(c);
    const url = origin === null ? null : signInLink(origin, code);
    const link = { code, url, expires_at: expiresAt.toISOString() };
    return c.json(link, 201, { "cache-control": "no-store" });
  });
