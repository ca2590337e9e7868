// The address under which people open this service, and links to the console there.

import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/** PUBLIC_URL, or else the origin of the request. */
export function publicOrigin(c: Context<AppEnv>): string {
  return c.get("services").config.PUBLIC_URL ?? new URL(c.req.url).origin;
}

/** Names and addresses of this machine. */
export const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The origin for links that hold a secret: PUBLIC_URL, or this machine. Null for any other host, because the request
 * names it.
 */
export function signInOrigin(c: Context<AppEnv>): string | null {
  const { origin, hostname } = new URL(c.req.url);
  return c.get("services").config.PUBLIC_URL ?? (LOOPBACK.test(hostname) ? origin : null);
}

/** The origins of this service's own pages: that of the request, and PUBLIC_URL for a proxy that ends TLS. */
export function ownOrigins(c: Context<AppEnv>): readonly string[] {
  const { origin, host } = new URL(c.req.url);
  const { PUBLIC_URL } = c.get("services").config;
  return PUBLIC_URL !== undefined && new URL(PUBLIC_URL).host === host ? [PUBLIC_URL, origin] : [origin];
}
