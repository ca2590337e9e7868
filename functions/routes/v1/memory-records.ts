// Single memory records: read and review an observation, delete a record of any layer.

import { createRoute, z } from "@hono/zod-openapi";
import { MAX_STORED_SESSION_ID, storedSessionId } from "../../access/session-ids.ts";
import { getObservation, observationDetailSchema } from "../../incidents/observation-detail.ts";
import { deleteRecord } from "../../investigation/learning/delete-record.ts";
import { setReviewScore } from "../../memory/feedback.ts";
import { observationEntrySchema } from "../../memory/memory-lists.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { actorOf } from "../middleware/audit.ts";
import { scoped } from "../middleware/require-scope.ts";

const uuidParam = z.object({ id: z.uuid() });

const observationResponses = {
  200: jsonContent("The observation.", observationEntrySchema),
  404: problemContent("No observation has this id."),
};

const getRoute = createRoute({
  method: "get",
  path: "/v1/memory/observations/{id}",
  summary: "Read an observation with its incidents",
  ...scoped("read"),
  request: { params: uuidParam },
  responses: {
    ...observationResponses,
    200: jsonContent("The observation.", observationDetailSchema),
  },
});

const reviewRoute = createRoute({
  method: "patch",
  path: "/v1/memory/observations/{id}",
  summary: "Review an observation: moves it in recall",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: uuidParam,
    body: bodyContent(
      z.strictObject({
        review_score: z
          .number()
          .min(-1)
          .max(2)
          .nullable()
          .openapi({ description: "The review score, −1 to 2. Null removes it.", example: 1.5 }),
      }),
    ),
  },
  responses: observationResponses,
});

const deleteObservation = deletionRoute("/v1/memory/observations/{id}", "Delete an observation", uuidParam);
const deletePastAnswer = deletionRoute(
  "/v1/memory/past-answers/{id}",
  "Delete a past answer, or a summary, with what contains or is in it",
  uuidParam,
);
const deleteProcedure = deletionRoute("/v1/memory/procedures/{id}", "Delete a procedure", uuidParam);
const deleteSession = deletionRoute(
  "/v1/memory/sessions/{id}",
  "Delete a session with its past answers",
  z.object({ id: filledText(MAX_STORED_SESSION_ID).openapi({ example: "on-call-2026-03-01" }) }),
);

export const NO_SUCH_OBSERVATION = "No observation has this id. List observations with GET /v1/memory/observations.";

export const memoryRecordRoutes = createRouter()
  .openapi(getRoute, async (c) => {
    const observation = await getObservation(c.get("services").database, c.req.valid("param").id);
    if (!observation) throw new Problem("not-found", NO_SUCH_OBSERVATION);
    return c.json(observation, 200);
  })
  .openapi(reviewRoute, async (c) => {
    const { review_score } = c.req.valid("json");
    const observation = await setReviewScore(c.get("services").database, c.req.valid("param").id, review_score);
    if (!observation) throw new Problem("not-found", NO_SUCH_OBSERVATION);
    return c.json(observation, 200);
  })
  .openapi(deleteObservation, async (c) => {
    const record = { kind: "observation", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const isDeleted = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!isDeleted) throw new Problem("not-found", NO_SUCH_OBSERVATION);
    return c.body(null, 204);
  })
  .openapi(deletePastAnswer, async (c) => {
    const record = { kind: "past_answer", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const isDeleted = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!isDeleted)
      throw new Problem("not-found", "No past answer has this id. List past answers with GET /v1/memory/past-answers.");
    return c.body(null, 204);
  })
  .openapi(deleteProcedure, async (c) => {
    const record = { kind: "procedure", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const isDeleted = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!isDeleted)
      throw new Problem("not-found", "No procedure has this id. List procedures with GET /v1/memory/procedures.");
    return c.body(null, 204);
  })
  .openapi(deleteSession, async (c) => {
    const id = storedSessionId(c.get("caller"), c.req.valid("param").id);
    const record = { kind: "session", id, by: actorOf(c) } as const;
    const isDeleted = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!isDeleted)
      throw new Problem(
        "not-found",
        "No records of this session are stored. List sessions with GET /v1/memory/sessions.",
      );
    return c.body(null, 204);
  });

function deletionRoute<Path extends string, Params extends z.ZodObject>(path: Path, summary: string, params: Params) {
  return createRoute({
    method: "delete",
    path,
    summary,
    ...scoped("admin"),
    request: { params },
    responses: {
      204: { description: "Deleted." },
      404: problemContent("No record has this id."),
    },
  });
}
