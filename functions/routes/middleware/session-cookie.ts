// The cookie of a console session, and the refusal of requests that other sites' pages send with it.

import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../http/problem.ts";
import { LOOPBACK, ownOrigins } from "../http/public-origin.ts";

const SECURE_NAME = "__Host-dejavu_session";
/** On this machine without TLS: Safari refuses cookies with `Secure` there. */
const LOCAL_NAME = "dejavu_session";
/** As long as a session may last. */
const MAX_AGE_SECONDS = 30 * 86_400;

const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Cookies are for the API of the page; agents use tokens. */
const ACCEPTING_PATHS = /^\/(?:v1|health)\//;

/** @throws Problem on a connection that others can read */
function cookieOf(c: Context<AppEnv>): { readonly name: string; readonly options: CookieOptions } {
  const shared = { path: "/", httpOnly: true, sameSite: "Strict" } as const;
  if (ownOrigins(c).some((origin) => origin.startsWith("https:")))
    return { name: SECURE_NAME, options: { ...shared, secure: true } };
  if (LOOPBACK.test(new URL(c.req.url).hostname)) return { name: LOCAL_NAME, options: shared };
  throw new Problem(
    "https-required",
    "A session needs https, except on this machine. Open the console at its https address; behind a proxy that ends TLS, set PUBLIC_URL to that address.",
  );
}

/** The session's secret as the browser sent it; undefined where cookies are not accepted. */
export function sessionCookie(c: Context<AppEnv>): string | undefined {
  if (!ACCEPTING_PATHS.test(c.req.path) || c.req.header("cookie") === undefined) return undefined;
  return getCookie(c, SECURE_NAME) ?? (isLocal(c) ? getCookie(c, LOCAL_NAME) : undefined);
}

/** A cookie without the prefix could come from another site of the same domain. */
function isLocal(c: Context<AppEnv>): boolean {
  return LOOPBACK.test(new URL(c.req.url).hostname);
}

/** @throws Problem on a connection that others can read */
export function setSessionCookie(c: Context<AppEnv>, secret: string): void {
  const { name, options } = cookieOf(c);
  setCookie(c, name, secret, { ...options, maxAge: MAX_AGE_SECONDS });
}

/** @throws Problem on a connection that others can read */
export function requireCookieConnection(c: Context<AppEnv>): void {
  cookieOf(c);
}

export function deleteSessionCookie(c: Context<AppEnv>): void {
  const { name, options } = cookieOf(c);
  deleteCookie(c, name, options);
}

/**
 * Refuses a request with the cookie that a page of another site sent. SameSite=Strict withholds the cookie already, except
 * from pages of the same registrable domain. @throws Problem
 */
export function refuseForeignPage(c: Context<AppEnv>): void {
  if (!READING_METHODS.has(c.req.method)) {
    if (isSameOrigin(c)) return;
    throw foreignPage();
  }
  const site = c.req.header("sec-fetch-site");
  const isForeign = site === "cross-site" || site === "same-site";
  if (isForeign && c.req.header("sec-fetch-mode") !== "navigate") throw foreignPage();
}

/** The same for a request without a cookie, which a program may send as well: it has neither header. @throws Problem */
export function refuseForeignSignIn(c: Context<AppEnv>): void {
  const isOfBrowser = c.req.header("sec-fetch-site") !== undefined || c.req.header("origin") !== undefined;
  if (isOfBrowser && !isSameOrigin(c)) throw foreignPage();
}

function isSameOrigin(c: Context<AppEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = c.req.header("origin");
  return origin !== undefined && ownOrigins(c).includes(origin);
}

function foreignPage(): Problem {
  return new Problem(
    "origin-not-allowed",
    "The session's cookie is accepted from the console's own pages only. Programs send a token in the header `Authorization`.",
  );
}
