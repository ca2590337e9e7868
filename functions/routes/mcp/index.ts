// POST /mcp: the Model Context Protocol over streamable HTTP. Stateless: each request has its own server and transport, so
// that any isolate can answer it. GET and DELETE are not supported and return 405.

import { createRoute, z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { storedSessionId } from "../../access/session-ids.ts";
import type { AppEnv } from "../http/app-env.ts";
import { requireJsonBody } from "../http/input.ts";
import { streamBudgetMs } from "../http/limit-stream.ts";
import { problem } from "../http/problem.ts";
import { publicOrigin } from "../http/public-origin.ts";
import { bodyContent, createRouter, problemContent } from "../http/router.ts";
import { originAllowed } from "../middleware/cross-origin.ts";
import { BEARER_SCHEME } from "../middleware/require-scope.ts";
import { EVENT_STREAM, exchange } from "./exchange.ts";
import { RPC_CODES } from "./failure.ts";
import { createMcpServer } from "./server.ts";

/** A JSON-RPC message, as far as the endpoint reads it. */
const messageSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number().int()]).optional().openapi({ description: "Omitted in a notification." }),
    method: z.string().optional(),
    params: z
      .looseObject({
        _meta: z.looseObject({ progressToken: z.union([z.string(), z.number().int()]).optional() }).optional(),
      })
      .optional(),
  })
  .openapi({
    example: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "lookup_previous_fixes", arguments: { problem: "api-gateway exited with code 137" } },
    },
  });

const replySchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]).nullable().optional(),
    result: z.unknown().optional(),
    error: z.looseObject({ code: z.number().int(), message: z.string() }).optional(),
  })
  .openapi({
    example: {
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: 'Domain: docker (words "docker"). …' }] },
    },
  });

const STREAM_EXAMPLE = `event: message
data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"Searching runbooks and past incidents."}}

event: message
data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"… (confidence: 0.83)"}]}}

`;

const refuseForeignOrigins = createMiddleware<AppEnv>(async (c, next) => {
  if (!originAllowed(c.req.header("origin"), c.get("services").config)) {
    return problem(
      c,
      "origin-not-allowed",
      "Requests from this origin are rejected. Call from outside a browser, or add the origin to CORS_ORIGINS.",
    );
  }
  await next();
});

const refuseArrays = createMiddleware<AppEnv>(async (c, next) => {
  if (!Array.isArray(await c.req.json())) return next();
  const error = { code: RPC_CODES.invalidRequest, message: "The body is an array. Send one message a request." };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
});

const route = createRoute({
  method: "post",
  path: "/mcp",
  summary: "Exchange messages with an agent",
  description: "Accepts any token. Each tool needs its own scope.",
  security: [{ [BEARER_SCHEME]: [] }],
  middleware: [refuseForeignOrigins, requireJsonBody, refuseArrays],
  request: { body: bodyContent(messageSchema) },
  responses: {
    200: {
      description: "The response; an event stream if the client asked for progress.",
      content: {
        "application/json": { schema: replySchema },
        [EVENT_STREAM]: {
          schema: z.string().openapi({ description: "One JSON-RPC message for each event.", example: STREAM_EXAMPLE }),
        },
      },
    },
    202: { description: "The notification was accepted." },
    400: {
      description:
        "The body is not JSON or is an array, the message is neither a request nor a response, or the protocol version is unknown.",
      content: { "application/json": { schema: replySchema }, ...problemContent("").content },
    },
    403: problemContent("The request comes from a browser origin that is not allowed."),
    422: problemContent("The body is not a JSON-RPC message."),
  },
});

export const mcpRoutes = createRouter().openapi(route, async (c) => {
  const message = c.req.valid("json");
  const services = c.get("services");
  const caller = c.get("caller");
  const sessionName = sessionOf(c.req.header(SESSION_HEADER));
  const conversation = {
    services,
    caller,
    requestId: c.get("requestId"),
    sessionId: sessionName === undefined ? undefined : storedSessionId(caller, sessionName),
    origin: publicOrigin(c),
    disconnected: c.req.raw.signal,
    runInBackground: c.get("runInBackground"),
  };
  const { config, startTimer } = services;
  const isStreamed =
    message.params?._meta?.progressToken !== undefined && c.req.header("accept")?.includes(EVENT_STREAM) === true;
  const response = await exchange(
    createMcpServer(conversation),
    { request: c.req.raw, message },
    isStreamed ? { heartbeatMs: config.STREAM_HEARTBEAT_MS, budgetMs: streamBudgetMs(config), startTimer } : null,
  );
  if (message.method === "initialize" && response.ok) response.headers.set(SESSION_HEADER, services.newId());
  return response;
});

const SESSION_HEADER = "mcp-session-id";
const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The name of the session of the client's triages; undefined for a header that this server did not issue. */
function sessionOf(header: string | undefined): string | undefined {
  return header !== undefined && SESSION_ID.test(header) ? `mcp-${header.toLowerCase()}` : undefined;
}
