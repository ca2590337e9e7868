// The path that a request is routed by. A runbook's name, including its slashes, is one path parameter. Changes in the format
// of a known sender have a path of their own.

import { getPath } from "hono/utils/url";

const RUNBOOK = /^\/v1\/runbooks\/[^/]+\//;

/** What may follow a runbook's name to read about it. A name with slashes that ends so is sent with %2F. */
const ABOUT_RUNBOOK = /\/(?:versions(?:\/\d{1,10})?|uses)$/;

const CHANGES = "/v1/changes";
const CLOUD_EVENT = /^application\/(?:cloudevents|cloudevents-batch|cdevents)\+json\b/i;

/** The path of a report of changes: headers of a known sender lead to that sender's path. */
function changesPath({ method, headers }: Request): string {
  if (method !== "POST") return CHANGES;
  if (headers.has("x-github-event")) return `${CHANGES}/github`;
  const isCloudEvent = headers.has("ce-type") || CLOUD_EVENT.test(headers.get("content-type") ?? "");
  return isCloudEvent ? `${CHANGES}/cdevents` : CHANGES;
}

/** The request's path, with the slashes in a runbook's name as %2F, as clients that escape parameters send them. */
export function routedPath(request: Request): string {
  const path = getPath(request);
  if (path === CHANGES) return changesPath(request);
  const head = RUNBOOK.exec(path)?.[0];
  if (head === undefined) return path;
  const rest = path.slice(head.length);
  const tail = request.method === "GET" || request.method === "HEAD" ? (ABOUT_RUNBOOK.exec(rest)?.[0] ?? "") : "";
  return head + rest.slice(0, rest.length - tail.length).replaceAll("/", "%2F") + tail;
}
