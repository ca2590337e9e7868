// GET /v1/changes: lists changes of services.

import { createRoute, z } from "@hono/zod-openapi";
import { changeSchema, listChanges } from "../../../changes/change-records.ts";
import { searchedNames } from "../../../surroundings/service-names.ts";
import { cursorTime, pageOf, pageQuery, timeAndId } from "../../http/pagination.ts";
import { createRouter, jsonContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const EXAMPLE = {
  changes: [
    {
      id: "5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11",
      source: "json",
      at: "2026-03-01T02:41:00+00:00",
      received_at: "2026-03-01T02:41:03+00:00",
      kind: "deployment" as const,
      service: "checkout",
      environment: "production",
      title: "checkout v1.42.0",
      version: "v1.42.0",
      by: "dana",
      url: "https://ci.example/runs/4711",
      labels: { namespace: "shop" },
      domain: "general",
    },
  ],
  next_cursor: null,
};

const listRoute = createRoute({
  method: "get",
  path: "/v1/changes",
  summary: "List changes of services, newest first",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      ...pageQuery(timeAndId),
      service: z.string().min(1).max(256).optional().openapi({
        description: "Only changes of services with this name, in any of its forms: `checkout`, `shop/checkout`.",
      }),
      since: cursorTime
        .optional()
        .openapi({ type: "string", format: "date-time", description: "Only changes at this time or later." }),
    }),
  },
  responses: {
    200: jsonContent(
      "A page of changes.",
      z
        .object({
          changes: z.array(changeSchema.omit({ changed_by: true }).extend({ by: z.string().nullable() })),
          next_cursor: z.string().nullable(),
        })
        .openapi({ example: EXAMPLE }),
    ),
  },
});

export const listChangesRoutes = createRouter().openapi(listRoute, async (c) => {
  const { limit, cursor, service, since } = c.req.valid("query");
  const names = service === undefined ? null : searchedNames(service);
  // One row more than the page determines whether there is a next page.
  const page = { limit: limit + 1, before: cursor, names, since };
  const rows = await listChanges(c.get("services").database, page);
  const { page: changes, next_cursor } = pageOf(rows, limit, ({ at, id }) => [at, id]);
  return c.json({ changes: changes.map(({ changed_by, ...rest }) => ({ ...rest, by: changed_by })), next_cursor }, 200);
});
