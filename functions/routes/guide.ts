// The documentation site: files of the build, with the headers that the build gives them. Those with a hash in their name are
// served without the Worker.

import { createRoute } from "@hono/zod-openapi";
import type { StaticFiles } from "../services.ts";
import { Problem } from "./http/problem.ts";
import { createRouter, problemContent } from "./http/router.ts";

const HOME = "/guide/index.html";
const MISSING_PAGE = "/guide/404.html";

const route = createRoute({
  method: "get",
  path: "/guide",
  operationId: "getGuide",
  summary: "Show the documentation",
  responses: {
    302: { description: "The documentation's first page, `/guide/index.html`." },
    404: problemContent("This deployment has no built documentation."),
  },
});

export const guideRoutes = createRouter()
  .openapi(route, async (c) => {
    await missingPage(c.get("services").staticFiles, c.req.url);
    return c.redirect(HOME, 302);
  })
  .get("/guide/*", async (c) => {
    const { staticFiles } = c.get("services");
    const path = c.req.path.replace(/\/$/, "");
    if (path === "/guide") return c.redirect(HOME, 302);
    const file = await fileAt(staticFiles, path, c.req.url);
    if (file) return new Response(file.body, file);
    // Addresses of pages may be written without their ending.
    if (await fileAt(staticFiles, `${path}.html`, c.req.url)) return c.redirect(`${path}.html`, 302);
    const page = await missingPage(staticFiles, c.req.url);
    return new Response(page.body, { status: 404, headers: page.headers });
  });

/** @throws Problem when there is no built documentation */
async function missingPage(files: StaticFiles | null, url: string): Promise<Response> {
  const page = await fileAt(files, MISSING_PAGE, url);
  if (!page) throw new Problem("not-found", "The documentation is not built. Run `npm run build` and deploy again.");
  return page;
}

async function fileAt(files: StaticFiles | null, path: string, url: string): Promise<Response | undefined> {
  const response = await files?.fetch(new Request(new URL(path, url)));
  return response?.ok ? response : undefined;
}
