// One MCP exchange over HTTP: a message in, a response or an event stream out.

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Notification, Result, Request as RpcRequest } from "@modelcontextprotocol/sdk/types.js";

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
  server: Protocol<RpcRequest, Notification, Result>,
  { request, message }: { readonly request: Request; readonly message: unknown },
  stream: StreamTimes | null,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: stream === null,
    ...(stream && { keepAliveMs: stream.heartbeatMs }),
  });
  await server.connect(transport);
  const response = await transport.handleRequest(bareRequest(request), { parsedBody: message });
  return stream === null ? response : limitStream(response, stream.budgetMs, stream.startTimer);
}

/** The request as the transport expects it. The transport rejects clients that accept only one media type; such clients exist. */
function bareRequest({ url, headers }: Request): Request {
  const version = headers.get("mcp-protocol-version");
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: `application/json, ${EVENT_STREAM}`,
      ...(version === null ? {} : { "mcp-protocol-version": version }),
    },
  });
}
