// GET /v1/runbooks/search: the hybrid search of a triage, semantic and keyword, over runbooks.

import { createRoute, z } from "@hono/zod-openapi";
import { searchRunbooks } from "../../investigation/search-runbooks.ts";
import { domainNameSchema, domainResultSchema } from "../../schemas/domain.ts";
import { runbookHitSchema, warningSchema } from "../../schemas/triage-result.ts";
import { filledText } from "../http/input.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { RUNBOOK_HIT_EXAMPLE } from "./triage-schema.ts";

const DEFAULT_LIMIT = 10;
/** The same as the collection search. */
const MAX_LIMIT = 50;

export const runbookSearchSchema = z
  .object({
    domain: domainResultSchema,
    hits: z.array(runbookHitSchema.omit({ grounding: true, relevant: true })),
    warnings: z.array(warningSchema),
  })
  .openapi({
    example: {
      domain: { name: "docker", rule: "given by the caller" },
      hits: [RUNBOOK_HIT_EXAMPLE],
      warnings: [],
    },
  });

const route = createRoute({
  method: "get",
  path: "/v1/runbooks/search",
  summary: "Search runbooks by meaning and keywords, as a triage does before reranking; nothing is stored",
  tags: ["search"],
  ...scoped("read"),
  request: {
    query: z.strictObject({
      query: filledText(4_000).openapi({ example: "gateway killed, exit code 137" }),
      domain: domainNameSchema
        .optional()
        .openapi({ description: "Determined from the query's words if omitted.", example: "docker" }),
      limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).openapi({ example: 5 }),
    }),
  },
  responses: {
    200: {
      description: "Sections of runbooks, notes, logs and postmortems, best first, with the features of each score.",
      content: { "application/json": { schema: runbookSearchSchema } },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("Recall is unavailable: neither search works now."),
  },
});

export const runbookSearchRoutes = createRouter().openapi(route, async (c) =>
  c.json(await searchRunbooks(c.get("services"), c.req.valid("query")), 200),
);
