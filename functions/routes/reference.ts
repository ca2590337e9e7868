// GET /openapi.json, and GET /docs, which renders it. Both need no token: the source is public, and neither shows stored
// data.

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "./http/app-env.ts";
import { Problem } from "./http/problem.ts";
import { createRouter, jsonContent, problemContent } from "./http/router.ts";

/** Files of Swagger UI. */
const ASSETS = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;
const START = "start.js";

const DOCUMENT_MAX_AGE_SECONDS = 300;

/** Allows the service's own files only, and `data:` images, which Swagger UI's style sheet holds. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Shown until Swagger UI replaces it, and where scripts are disabled. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dejavu API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/${START}" defer></script>
</head>
<body>
<main id="reference">
<h1>Dejavu API</h1>
<p>This page needs scripts to show the reference. <a href="/openapi.json">/openapi.json</a> describes the API for every
tool that reads OpenAPI 3.1.</p>
</main>
</body>
</html>
`;

const START_SCRIPT = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const documentSchema = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .openapi({ example: { openapi: "3.1.0", info: { title: "Dejavu", version: "0.1.0" }, paths: {} } });

const documentRoute = createRoute({
  method: "get",
  path: "/openapi.json",
  summary: "Get the API description",
  responses: {
    200: jsonContent("An OpenAPI 3.1 document.", documentSchema),
    304: { description: "The cached document is current." },
    404: problemContent("This deployment has no built document."),
  },
});

const pageRoute = createRoute({
  method: "get",
  path: "/docs",
  summary: "Show the API reference",
  responses: {
    200: {
      description: "An HTML page.",
      content: { "text/html": { schema: z.string().openapi({ example: "<!doctype html>…" }) } },
    },
  },
});

const fileRoute = createRoute({
  method: "get",
  path: "/docs/{file}",
  summary: "Get a file of the API reference",
  request: { params: z.object({ file: z.string().openapi({ example: START }) }) },
  responses: {
    200: {
      description: "The file.",
      content: {
        "text/javascript": { schema: z.string().openapi({ example: START_SCRIPT }) },
        "text/css": { schema: z.string().openapi({ example: ".swagger-ui { … }" }) },
      },
    },
    304: { description: "The cached file is current." },
    404: problemContent("There is no such file."),
  },
});

export const referenceRoutes = createRouter()
  .openapi(documentRoute, async (c) => {
    const response = await fileOf(c, "openapi.json");
    response.headers.set("cache-control", `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}`);
    return response;
  })
  .openapi(pageRoute, (c) => {
    c.header("content-security-policy", CONTENT_SECURITY_POLICY);
    return c.html(PAGE);
  })
  .openapi(fileRoute, (c) => {
    const { file } = c.req.valid("param");
    if (file === START) return c.body(START_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" });
    return fileOf(
      c,
      ASSETS.find((name) => name === file),
    );
  });

/** The built file, or 304 when the browser has it. @throws Problem when it is none */
async function fileOf(c: Context<AppEnv>, name: string | undefined): Promise<Response> {
  const etag = c.req.header("if-none-match");
  const request = new Request(new URL(`/docs/${name}`, c.req.url), { headers: etag ? { "if-none-match": etag } : {} });
  const response = name && (await c.get("services").staticFiles?.fetch(request));
  if (!response || (!response.ok && response.status !== 304))
    throw new Problem("not-found", "There is no such file here. `npm run build` makes the API reference.");
  // The headers of a fetched response are immutable, and middleware adds headers.
  return new Response(response.body, response);
}
