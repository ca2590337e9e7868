// MCP requests and constants that the tests share.

import { z } from "zod";
import type { Harness } from "../support/harness.ts";

/** A URL where no server listens. */
export const UNREACHABLE = "http://127.0.0.1:9";
export const OOM = "api-gateway docker container exited with code 137";
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
export const UUID = /^[0-9a-f-]{36}$/;

/** The initialize request of a command-line agent. */
export const INITIALIZE =
  '{"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"claude-code","version":"2.0.1"}},"jsonrpc":"2.0","id":0}';

export const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Sends with the headers of the TypeScript client. */
export function sender({ request }: Pick<Harness, "request">) {
  return (message: unknown, headers: Record<string, string> = {}) =>
    request("/mcp", {
      method: "POST",
      body: typeof message === "string" ? message : JSON.stringify(message),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...headers,
      },
    });
}

export async function errorOf(response: Response) {
  return z
    .object({ id: z.unknown(), error: z.object({ code: z.number(), message: z.string() }) })
    .parse(await response.json()).error;
}
