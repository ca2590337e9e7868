// Owns the path that a request is routed by: a runbook's name is one parameter of the API document, slashes and all.

import { getPath } from "hono/utils/url";

const RUNBOOK = /^\/v1\/runbooks\/[^/]+\//;

/** The request's path, with the slashes in a runbook's name as %2F, as a client that escapes parameters sends them. */
export function routedPath(request: Request): string {
  const path = getPath(request);
  const head = RUNBOOK.exec(path)?.[0];
  return head === undefined ? path : head + path.slice(head.length).replaceAll("/", "%2F");
}
