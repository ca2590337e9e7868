// GET /v1/quality/calibration and /v1/quality/outcomes: how sure answers are and how often they are right, and answers by day.

import { createRoute } from "@hono/zod-openapi";
import { confidenceReliabilitySchema, readConfidenceReliability } from "../../../quality/confidence-reliability.ts";
import { outcomesSchema, readOutcomes } from "../../../quality/outcomes-by-day.ts";
import { startOfPeriod } from "../../../quality/period.ts";
import { createRouter, jsonContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { periodQuery } from "./period-query.ts";

const RELIABILITY_EXAMPLE = {
  judged: 12,
  right: 9,
  enough: false,
  min_judged: 50,
  bins: [
    { from: 0.4, to: 0.6, answers: 4, mean_confidence: 0.52, share_right: 0.5, low: 0.15, high: 0.85 },
    { from: 0.8, to: 1, answers: 8, mean_confidence: 0.9, share_right: 0.875, low: 0.529, high: 0.978 },
  ],
  brier_score: 0.158,
  brier_of_base_rate: 0.188,
  calibration_error: 0.023,
};

const FIGURES_EXAMPLE = {
  answers: { cause: 7, possible: 3, unknown: 2, benign: 1 },
  judgements: { up: 4, down: 1, worked: 3, did_not_work: 0 },
  elapsed: { median_ms: 412, p95_ms: 1_830 },
};
const OUTCOMES_EXAMPLE = { total: FIGURES_EXAMPLE, days: [{ date: "2026-03-01", ...FIGURES_EXAMPLE }] };

const calibrationRoute = createRoute({
  method: "get",
  path: "/v1/quality/calibration",
  summary: "Compare confidence with how often answers were right",
  description:
    "An answer with the outcome `cause` or `possible` is judged by a rating, or by a resolution with `worked`. Answers of evaluations are left out.",
  ...scoped("read"),
  request: { query: periodQuery },
  responses: {
    200: jsonContent(
      "The judged answers by confidence.",
      confidenceReliabilitySchema.meta({ example: RELIABILITY_EXAMPLE }),
    ),
  },
});

const outcomesRoute = createRoute({
  method: "get",
  path: "/v1/quality/outcomes",
  summary: "Count answers and judgements by day",
  description: "Answers of evaluations are left out.",
  ...scoped("read"),
  request: { query: periodQuery },
  responses: {
    200: jsonContent("The figures of each day.", outcomesSchema.meta({ example: OUTCOMES_EXAMPLE })),
  },
});

export const qualityFigureRoutes = createRouter()
  .openapi(calibrationRoute, async (c) => {
    const { database, now } = c.get("services");
    const since = startOfPeriod(now(), c.req.valid("query").days);
    return c.json(await readConfidenceReliability(database, since), 200);
  })
  .openapi(outcomesRoute, async (c) => {
    const { database, now } = c.get("services");
    return c.json(await readOutcomes(database, now(), c.req.valid("query").days), 200);
  });
