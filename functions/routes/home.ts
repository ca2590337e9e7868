// GET /: what this service is and where its entry points are. A page for browsers, the same as JSON for other clients.
// It needs no token and shows nothing that /health and /docs do not show.

import { createHash } from "node:crypto";
import { createRoute, z } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import { html, raw } from "hono/html";
import { createRouter } from "./http/router.ts";

const ABOUT =
  "Dejavu triages incidents and remembers what fixed them. Send an alert, an error or a log: it quotes the evidence, names likely causes with their first checks, and shows the fix that worked before.";

/** Pages of the documentation, and their subjects. */
const GUIDES = {
  "/guide/tutorial/1-first-answer.html": "the tutorial: from the first answer to a check that decides",
  "/guide/guides/command-line.html": "the command line",
  "/guide/guides/runbooks.html": "add your own runbooks",
  "/guide/guides/alerts.html": "connect Alertmanager, Grafana, PagerDuty or Opsgenie",
  "/guide/guides/slack.html": "connect Slack",
  "/guide/guides/agents.html": "connect an agent",
  "/guide/guides/api.html": "the HTTP API",
} as const;

const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #5b6470; --line: #d8dde3; --code: #f3f5f7; --link: #0b57c2; --up: #1a7f37 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --soft: #9aa4b0; --line: #343b44; --code: #1f242b; --link: #7ab2ff; --up: #57c573 }
  body { background: #14181d }
}
body { margin: 0 auto; max-width: 44rem; padding: 2rem 1.25rem; color: var(--text); font: 1rem/1.55 system-ui, sans-serif }
h1 { margin: 0 }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem }
a { color: var(--link) }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
pre, code { font: .875rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere }
pre { margin: 0; padding: .75rem 1rem; border-radius: .375rem; background: var(--code); white-space: pre-wrap }
dl { margin: 0 }
dt { margin-top: .75rem }
dd { margin: 0; color: var(--soft) }
.up::before { content: "●"; margin-right: .5ch; color: var(--up) }
.note { color: var(--soft) }
`;

/** Allows this page's own style sheet and `data:` images for the icon; no script at all. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const homeSchema = z.object({
  name: z.literal("dejavu"),
  about: z.string(),
  status: z
    .literal("ok")
    .describe("The service is up. `GET /health/ready` reports its dependencies and needs a token."),
  version: z.string(),
  links: z.object({
    guide: z.url().describe("The documentation."),
    reference: z.url().describe("The API reference, a page."),
    openapi: z.url().describe("The API description, OpenAPI 3.1."),
    health: z.url(),
    mcp: z.url().describe("The address for agents (Model Context Protocol, streamable HTTP)."),
  }),
  guides: z.record(z.string(), z.string()).describe("Pages of the documentation by path, and their subjects."),
});
type Home = z.infer<typeof homeSchema>;

const route = createRoute({
  method: "get",
  path: "/",
  operationId: "getHome",
  summary: "Show what this service is and where its entry points are",
  responses: {
    200: {
      description: "A page for a browser (`Accept: text/html`), otherwise JSON.",
      content: {
        "application/json": { schema: homeSchema, example: homeOf("https://dejavu.example.com", "0.1.0") },
        "text/html": { schema: z.string().openapi({ example: "<!doctype html>…" }) },
      },
    },
  },
});

export const homeRoutes = createRouter().openapi(route, (c) => {
  const home = homeOf(new URL(c.req.url).origin, c.get("services").version);
  c.header("vary", "accept");
  c.header("x-robots-tag", "noindex");
  const types = ["application/json", "text/html"];
  if (accepts(c, { header: "Accept", supports: types, default: "application/json" }) !== "text/html")
    return c.json(home, 200);
  c.header("content-security-policy", CONTENT_SECURITY_POLICY);
  return c.html(pageOf(home));
});

/** @param origin such as https://dejavu.example.com */
function homeOf(origin: string, version: string): Home {
  const links = {
    guide: `${origin}/guide`,
    reference: `${origin}/docs`,
    openapi: `${origin}/openapi.json`,
    health: `${origin}/health`,
    mcp: `${origin}/mcp`,
  };
  return { name: "dejavu", about: ABOUT, status: "ok", version, links, guides: { ...GUIDES } };
}

/** The template escapes every value. */
function pageOf({ about, version, links, guides }: Home) {
  const { origin } = new URL(links.mcp);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Dejavu</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>Dejavu</h1>
<p>${about}</p>
<p class="up">This service is up, version ${version}.</p>
<h2>From the command line</h2>
<pre><code>dejavu triage "pod stuck in CrashLoopBackOff" --target checkout
dejavu resolve last "what fixed it"
dejavu similar "exited with code 137"</code></pre>
<p class="note">A clone of the repository has the command in its folder <code>bin</code>. Sign in once with <code>dejavu login --url ${origin}</code>; the stack of <code>npm start</code> needs no sign-in.</p>
<h2>For programs and agents</h2>
<dl>
<dt><a href="/docs">API reference</a></dt><dd>every endpoint with its fields and errors; it also sends requests</dd>
<dt><a href="/openapi.json">OpenAPI description</a></dt><dd>for tools that read OpenAPI 3.1</dd>
<dt><a href="/health">Health</a></dt><dd>for monitors; <code>/health/ready</code> tests the dependencies and needs a token</dd>
<dt><code>${links.mcp}</code></dt><dd>the address for agents (MCP, streamable HTTP)</dd>
</dl>
<p class="note">Other endpoints need a token: <code>Authorization: Bearer &lt;token&gt;</code>. <code>npm start</code>
prints the one of its stack; <code>dejavu tokens create</code> makes more.</p>
<h2><a href="/guide">Documentation</a></h2>
<dl>
${Object.entries(guides).map(([path, subject]) => html`<dt><a href="${path}">${subject}</a></dt>\n`)}</dl>
</main>
</body>
</html>
`;
}
