// One MCP exchange over HTTP: a message in, a response or an event stream out.

import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Notification, Result, Request as RpcRequest } from "@modelcontextprotocol/sdk/types.js";

export const EVENT_STREAM = "text/event-stream";

export interface ExchangeOptions {
  /** Whether the client gets progress before the response. */
  readonly isStreamed: boolean;
  /** Interval of heartbeats in a stream. */
  readonly heartbeatMs: number;
}

export async function exchange(
  server: Protocol<RpcRequest, Notification, Result>,
  { request, message }: { readonly request: Request; readonly message: unknown },
  { isStreamed, heartbeatMs }: ExchangeOptions,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !isStreamed,
    keepAliveMs: heartbeatMs,
  });
  await server.connect(transport);
  return transport.handleRequest(bareRequest(request), { parsedBody: message });
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
