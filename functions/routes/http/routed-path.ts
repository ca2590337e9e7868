// The path that a request is routed by. A runbook's name, including its slashes, is one path parameter.

import { getPath } from "hono/utils/url";

const RUNBOOK = /^\/v1\/runbooks\/[^/]+\//;

/** The request's path, with the slashes in a runbook's name as %2F, as clients that escape parameters send them. */
export function routedPath(request: Request): string {
  const path = getPath(request);
  const head = RUNBOOK.exec(path)?.[0];
  return head === undefined ? path : head + path.slice(head.length).replaceAll("/", "%2F");
}
