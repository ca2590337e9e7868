// Owns which web pages may call from a browser: the configured origins, which are answered before there is a token.

import { cors } from "hono/cors";

/** Long enough that a page does not ask before every call. */
const PREFLIGHT_SECONDS = 600;

export function crossOrigin(origins: readonly string[]) {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    exposeHeaders: ["x-request-id", "location", "retry-after", "mcp-session-id"],
    maxAge: PREFLIGHT_SECONDS,
  });
}
