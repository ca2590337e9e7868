// CORS for the configured origins. Preflight requests are answered before authentication.

import { cors } from "hono/cors";

/** Browsers cache a preflight response this long. */
const PREFLIGHT_SECONDS = 600;

export function crossOrigin(origins: readonly string[]) {
  return cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    exposeHeaders: ["x-request-id", "location", "retry-after", "mcp-session-id"],
    maxAge: PREFLIGHT_SECONDS,
  });
}

/** Whether a request may come from this origin. Requests without an Origin header do not come from a web page. */
export function originAllowed(
  origin: string | undefined,
  { CORS_ORIGINS }: { readonly CORS_ORIGINS: readonly string[] },
): boolean {
  return origin === undefined || CORS_ORIGINS.includes(origin);
}
