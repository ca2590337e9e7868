// The page of the console. Its scripts and styles are static assets with hashed names, which are served without the Worker.

import { createRoute, z } from "@hono/zod-openapi";
import { Problem } from "./http/problem.ts";
import { createRouter, problemContent } from "./http/router.ts";

const FILES = "/console/assets/";

/** Allows the service's own files only: no inline script or style, nothing from elsewhere, no text that becomes script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const route = createRoute({
  method: "get",
  path: "/console",
  operationId: "getConsole",
  summary: "Show the console",
  responses: {
    200: {
      description: "An HTML page, the same for every path below `/console`. It holds no data.",
      content: { "text/html": { schema: z.string().openapi({ example: "<!doctype html>…" }) } },
    },
    404: problemContent("This deployment has no built console."),
  },
});

export const consoleRoutes = createRouter()
  .openapi(route, (c) => consolePage(c.get("services").staticFiles, c.req.url))
  // Addresses within the page.
  .get("/console/*", (c) => {
    // Only a file that does not exist comes here.
    if (c.req.path.startsWith(FILES)) throw new Problem("not-found", "There is no such file. Reload the console.");
    return consolePage(c.get("services").staticFiles, c.req.url);
  });

async function consolePage(
  files: { fetch(request: Request): Promise<Response> } | null,
  url: string,
): Promise<Response> {
  const page = await files?.fetch(new Request(new URL("/console/index.html", url)));
  if (!page?.ok) throw new Problem("not-found", "The console is not built. Run `npm run build` and deploy again.");
  return new Response(page.body, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      // The page names the files of this version.
      "cache-control": "no-cache",
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
    },
  });
}
