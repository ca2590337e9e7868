// GET /: what this service is and where its entry points are, as JSON. Browsers go to the console. It needs no token and shows
// nothing that /health and /docs do not show.

import { createRoute, z } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import { createRouter, jsonContent } from "./http/router.ts";

const ABOUT =
  "Dejavu triages incidents and remembers what fixed them. Send an alert, an error or a log: it quotes the evidence, names likely causes with their first checks, and shows the fix that worked before.";

const homeSchema = z.object({
  name: z.literal("dejavu"),
  about: z.string(),
  status: z
    .literal("ok")
    .describe("The service is up. `GET /health/ready` reports its dependencies and needs a token."),
  version: z.string(),
  links: z.object({
    console: z.url().describe("The console, a page."),
    guide: z.url().describe("The documentation."),
    reference: z.url().describe("The API reference, a page."),
    openapi: z.url().describe("The API description, OpenAPI 3.1."),
    health: z.url(),
    mcp: z.url().describe("The address for agents (Model Context Protocol, streamable HTTP)."),
  }),
});
type Home = z.infer<typeof homeSchema>;

const route = createRoute({
  method: "get",
  path: "/",
  operationId: "getHome",
  summary: "Show what this service is",
  responses: {
    200: jsonContent("The entry points.", homeSchema, homeOf("https://dejavu.example.com", "0.1.0")),
    302: { description: "For a browser (`Accept: text/html`): the console." },
  },
});

export const homeRoutes = createRouter().openapi(route, (c) => {
  const home = homeOf(new URL(c.req.url).origin, c.get("services").version);
  c.header("vary", "accept");
  c.header("x-robots-tag", "noindex");
  const types = ["application/json", "text/html"];
  if (accepts(c, { header: "Accept", supports: types, default: "application/json" }) === "text/html")
    return c.redirect("/console", 302);
  return c.json(home, 200);
});

/** @param origin such as https://dejavu.example.com */
function homeOf(origin: string, version: string): Home {
  const links = {
    console: `${origin}/console`,
    guide: `${origin}/guide`,
    reference: `${origin}/docs`,
    openapi: `${origin}/openapi.json`,
    health: `${origin}/health`,
    mcp: `${origin}/mcp`,
  };
  return { name: "dejavu", about: ABOUT, status: "ok", version, links };
}
