// Answers 304 to a caller who has the present version of a resource, so that a page can poll it.

import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../http/app-env.ts";

/** The response of a route with `notModified`, for its API document. */
export const NOT_MODIFIED = {
  description: "Unchanged since the response whose `ETag` the header `If-None-Match` names.",
};

const withEtag = etag({ weak: true });

/** Adds a weak ETag of the body. A cache keeps no copy: the next caller may see other records. */
export const notModified = createMiddleware<AppEnv>(async (c, next) => {
  await withEtag(c, next);
  c.header("cache-control", "private, no-store");
  c.header("vary", "authorization, cookie", { append: true });
});
