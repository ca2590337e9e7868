// One MCP exchange over HTTP: a message in, a response or an event stream out. Both protocol eras, without sessions: each request has
// its own server, so that any isolate can answer it.

import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

import type { StartTimer } from "../../timers.ts";
import { limitStream } from "../http/limit-stream.ts";

export const EVENT_STREAM = "text/event-stream";

/** In milliseconds. */
export interface StreamTimes {
  /** Interval of heartbeats. */
  readonly heartbeatMs: number;
  /** After this time the stream ends. */
  readonly budgetMs: number;
  readonly startTimer: StartTimer;
}

/** @param stream null for one JSON response; otherwise the client gets progress before the response */
export async function exchange(
  server: Server,
  { request, message }: { readonly request: Request; readonly message: unknown },
  stream: StreamTimes | null,
): Promise<Response> {
  const bare = bareRequest(request);
  const serve = (await isLegacyRequest(bare, message)) ? serveLegacy : serveModern;
  const response = await serve(server, bare, message, stream);
  return stream === null ? response : limitStream(response, stream.budgetMs, stream.startTimer);
}

type Serve = (server: Server, request: Request, message: unknown, stream: StreamTimes | null) => Promise<Response>;

/** Protocol versions up to 2025-11-25. */
const serveLegacy: Serve = async (server, request, message, stream) => {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: stream === null,
    ...(stream && { keepAliveMs: stream.heartbeatMs }),
  });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody: message });
};

/** Protocol versions from 2026-07-28 on. Nobody can subscribe: the server announces no changes. */
const serveModern: Serve = (server, request, message, stream) =>
  createMcpHandler(() => server, {
    legacy: "reject",
    maxSubscriptions: 0,
    ...(stream && { keepAliveMs: stream.heartbeatMs }),
  }).fetch(request, { parsedBody: message });

/** The headers that the protocol reads. */
const PROTOCOL_HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"];

/** The request as the SDK expects it. It rejects clients that accept only one media type; such clients exist. */
function bareRequest({ url, headers, signal }: Request): Request {
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: `application/json, ${EVENT_STREAM}`,
      ...Object.fromEntries(PROTOCOL_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []))),
    },
    signal,
  });
}
