// Endpoints for the calibration of the relevance model: read it, reset it.

import { createRoute, z } from "@hono/zod-openapi";
import {
  calibrationRecordSchema,
  readCalibration,
  resetCalibration,
} from "../../../investigation/relevance/calibration-records.ts";
import { RELEVANCE_MODEL_FINGERPRINT } from "../../../investigation/relevance/relevance-model.ts";
import { createRouter, jsonContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const path = "/v1/admin/relevance-calibration";
const noQuery = z.strictObject({});

const EXAMPLE = {
  model: "5f2c9a1e",
  slope: 0.86,
  intercept: -0.31,
  labels: 148,
  positives: 97,
  brier_before: 0.171,
  brier_after: 0.158,
  fitted_at: "2026-11-22T09:33:00.000Z",
  ignore_before: null,
};

const readRoute = createRoute({
  method: "get",
  path,
  summary: "Read the calibration of the relevance model",
  description: "The shown probability is 1 / (1 + e^-(`slope` × log-odds + `intercept`)).",
  ...scoped("admin"),
  request: { query: noQuery },
  responses: {
    200: jsonContent("The calibration.", calibrationRecordSchema.meta({ example: EXAMPLE })),
  },
});

const resetRoute = createRoute({
  method: "delete",
  path,
  summary: "Reset the calibration to the default",
  description: "Ratings and resolutions up to now are not used by later fits.",
  ...scoped("admin"),
  request: { query: noQuery },
  responses: {
    204: { description: "Reset. Other isolates use the default from their next run on." },
  },
});

export const relevanceCalibrationRoutes = createRouter()
  .openapi(readRoute, async (c) =>
    c.json(await readCalibration(c.get("services").database, RELEVANCE_MODEL_FINGERPRINT), 200),
  )
  .openapi(resetRoute, async (c) => {
    const { database, calibrations, now, log } = c.get("services");
    const reset = await resetCalibration(database, RELEVANCE_MODEL_FINGERPRINT, now());
    calibrations.accept(reset);
    log("info", "relevance.calibration_reset", { model: reset.model });
    return c.body(null, 204);
  });
