// Corrections of records: a wrong merge is split, a missed one is joined.

import { createRoute, z } from "@hono/zod-openapi";
import { getObservation, observationDetailSchema } from "../../incidents/observation-detail.ts";
import { joinObservations, splitObservation } from "../../investigation/learning/correct-record.ts";
import type { InvestigationServices } from "../../investigation/run/investigation-services.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { NO_SUCH_OBSERVATION } from "./memory-records.ts";

const uuidParam = z.object({ id: z.uuid() });
const reason = filledText(4_000)
  .optional()
  .openapi({ description: "Why; it is kept with the judgement.", example: "Another cause: the disk was full." });

const splitSchema = z.strictObject({
  incident_ids: z
    .array(z.uuid())
    .min(1)
    .max(500)
    .openapi({
      description:
        "Incidents of another failure. At least one incident must stay. With the incident that has the record's id among them, the other incidents get the new record.",
      example: ["9b2f6c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7b"],
    }),
  reason,
});

const joinSchema = z.strictObject({
  observation_id: z.uuid().openapi({
    description: "Record of the same failure, in the same domain. It is deleted.",
    example: "c41d7a52-0f3e-4a86-9d5b-7e2c8b1f6a90",
  }),
  reason,
});

const splitResultSchema = z.object({
  observation: observationDetailSchema.describe("The record of the path."),
  new_observation: observationDetailSchema.describe("The record of the other incidents."),
});

const problems = {
  404: problemContent("No observation has this id."),
  422: problemContent("The body is not valid, or the records cannot be corrected in this way."),
  503: problemContent("The database is unavailable, or the records change too often."),
};

const splitRoute = createRoute({
  method: "post",
  path: "/v1/memory/observations/{id}/split",
  summary: "Split an observation that holds two failures",
  ...scoped("feedback", requireJsonBody),
  request: { params: uuidParam, body: bodyContent(splitSchema) },
  responses: {
    200: jsonContent("Both records.", splitResultSchema),
    ...problems,
  },
});

const joinRoute = createRoute({
  method: "post",
  path: "/v1/memory/observations/{id}/join",
  summary: "Join two observations of one failure",
  ...scoped("feedback", requireJsonBody),
  request: { params: uuidParam, body: bodyContent(joinSchema) },
  responses: {
    200: jsonContent("The record.", observationDetailSchema),
    ...problems,
  },
});

export const memoryCorrectionRoutes = createRouter()
  .openapi(splitRoute, async (c) => {
    const { incident_ids, reason } = c.req.valid("json");
    const services = c.get("services");
    const request = {
      observationId: c.req.valid("param").id,
      incidentIds: incident_ids,
      reason: reason ?? null,
    };
    const result = await splitObservation(services, request, c.get("runInBackground"));
    if (result.state === "not_found") throw new Problem("not-found", NO_SUCH_OBSERVATION);
    if (result.state === "unknown_incidents")
      throw invalid(
        "incident_ids",
        `The observation does not have the incidents ${result.ids.join(", ")}. List its incidents with GET /v1/memory/observations/{id}.`,
      );
    if (result.state === "one_group")
      throw invalid(
        "incident_ids",
        "At least one incident must stay in the observation. Leave one out of incident_ids.",
      );
    const [observation, new_observation] = await Promise.all([
      readObservation(services, request.observationId),
      readObservation(services, result.new_id),
    ]);
    return c.json({ observation, new_observation }, 200);
  })
  .openapi(joinRoute, async (c) => {
    const { observation_id, reason } = c.req.valid("json");
    const services = c.get("services");
    const { id } = c.req.valid("param");
    if (id.toLowerCase() === observation_id.toLowerCase())
      throw invalid("observation_id", "An observation cannot be joined with itself. Send the id of another one.");
    const request = { observationId: id, otherId: observation_id, reason: reason ?? null };
    const result = await joinObservations(services, request, c.get("runInBackground"));
    if (result.state === "not_found") throw new Problem("not-found", NO_SUCH_OBSERVATION);
    if (result.state === "other_not_found") throw invalid("observation_id", NO_SUCH_OBSERVATION);
    if (result.state === "other_domain")
      throw invalid(
        "observation_id",
        `The observations are of different domains, ${result.domain} and ${result.other_domain}. Only observations of one domain can be joined.`,
      );
    return c.json(await readObservation(services, id), 200);
  });

/** @throws Problem if the record was deleted meanwhile */
async function readObservation({ database }: Pick<InvestigationServices, "database">, id: string) {
  const observation = await getObservation(database, id);
  if (!observation) throw new Problem("not-found", NO_SUCH_OBSERVATION);
  return observation;
}

function invalid(field: string, message: string): Problem {
  return new Problem("invalid-request", message, { errors: [{ field, message }] });
}
