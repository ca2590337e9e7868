// /v1/quality/evaluations: summaries of evaluation runs.

import { createRoute, z } from "@hono/zod-openapi";
import {
  evaluationRunSchema,
  listEvaluationRuns,
  newEvaluationRunSchema,
  recordEvaluationRun,
} from "../../../quality/evaluation-runs.ts";
import { requireJsonBody } from "../../http/input.ts";
import { createRouter, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const EXAMPLE = {
  id: "20261122T121500Z-a1b2",
  started_at: "2026-11-22T12:15:00.000Z",
  finished_at: "2026-11-22T12:19:30.000Z",
  version: "0.1.0",
  revision: "5f2c9a1e",
  models: null,
  reranker: null,
  embedding: "universal-sentence-encoder-lite-windows",
  repeats: 3,
  cases: 130,
  passed: 96,
  metrics: { OutcomeRight: { mean: 0.743, cases: 109 } },
};

const listRoute = createRoute({
  method: "get",
  path: "/v1/quality/evaluations",
  summary: "List evaluation runs, newest first",
  ...scoped("read"),
  request: { query: z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(20) }) },
  responses: {
    200: {
      description: "The newest runs.",
      content: {
        "application/json": {
          schema: z.object({ runs: z.array(evaluationRunSchema) }).openapi({ example: { runs: [EXAMPLE] } }),
        },
      },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is unavailable."),
  },
});

const recordRoute = createRoute({
  method: "post",
  path: "/v1/quality/evaluations",
  summary: "Store the summary of an evaluation run",
  description: "`npm run dejavu -- eval` sends it. The newest 200 runs are kept.",
  ...scoped("ingest", requireJsonBody),
  request: {
    body: {
      required: true,
      content: { "application/json": { schema: newEvaluationRunSchema.meta({ example: EXAMPLE }) } },
    },
  },
  responses: {
    201: {
      description: "Stored. A run with this id that is stored already stays as it is.",
      content: {
        "application/json": { schema: z.object({ id: z.string() }).openapi({ example: { id: EXAMPLE.id } }) },
      },
    },
    413: problemContent("The body is too large."),
    422: problemContent("The body is not valid."),
    503: problemContent("The database is unavailable."),
  },
});

export const evaluationRunRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { limit } = c.req.valid("query");
    return c.json({ runs: await listEvaluationRuns(c.get("services").database, limit) }, 200);
  })
  .openapi(recordRoute, async (c) => {
    const run = c.req.valid("json");
    await recordEvaluationRun(c.get("services").database, run);
    return c.json({ id: run.id }, 201);
  });
