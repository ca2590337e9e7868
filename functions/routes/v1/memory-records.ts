// The front door to single records of memory: read and judge an observation, forget a record of any layer.

import { createRoute, z } from "@hono/zod-openapi";
import { deleteRecord } from "../../memory/delete-record.ts";
import { setReviewScore } from "../../memory/feedback.ts";
import { getObservation, observationEntrySchema } from "../../memory/memory-lists.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { actorOf } from "../middleware/audit.ts";
import { scoped } from "../middleware/require-scope.ts";

const uuidParam = z.object({ id: z.uuid() });

const observationResponses = {
  200: { description: "The observation.", content: { "application/json": { schema: observationEntrySchema } } },
  404: problemContent("There is no such observation."),
  422: problemContent("The request is not valid."),
  503: problemContent("The database is away."),
};

const getRoute = createRoute({
  method: "get",
  path: "/v1/memory/observations/{id}",
  summary: "Read an observation",
  ...scoped("read"),
  request: { params: uuidParam },
  responses: observationResponses,
});

const judgeRoute = createRoute({
  method: "patch",
  path: "/v1/memory/observations/{id}",
  summary: "Judge an observation, so that it is recalled sooner or later than others",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: uuidParam,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            review_score: z
              .number()
              .min(-1)
              .max(2)
              .nullable()
              .openapi({ description: "Null takes the judgement back.", example: 1.5 }),
          }),
        },
      },
    },
  },
  responses: observationResponses,
});

const forgetObservation = forgetRoute("/v1/memory/observations/{id}", "Forget an observation", uuidParam);
const forgetMemory = forgetRoute(
  "/v1/memory/past-answers/{id}",
  "Forget a question and its answer, and the summary that tells of it; or a summary and all that it stands for",
  uuidParam,
);
const forgetProcedure = forgetRoute("/v1/memory/procedures/{id}", "Forget an approach", uuidParam);
const forgetSession = forgetRoute(
  "/v1/memory/sessions/{id}",
  "Forget the turns and memories of a session",
  z.object({ id: filledText(128).openapi({ example: "on-call-2026-03-01" }) }),
);

const NO_SUCH_OBSERVATION = "There is no observation with this id. GET /v1/memory/observations lists them.";

export const memoryRecordRoutes = createRouter()
  .openapi(getRoute, async (c) => {
    const observation = await getObservation(c.get("services").database, c.req.valid("param").id);
    if (!observation) throw new Problem("not-found", NO_SUCH_OBSERVATION);
    return c.json(observation, 200);
  })
  .openapi(judgeRoute, async (c) => {
    const { review_score } = c.req.valid("json");
    const observation = await setReviewScore(c.get("services").database, c.req.valid("param").id, review_score);
    if (!observation) throw new Problem("not-found", NO_SUCH_OBSERVATION);
    return c.json(observation, 200);
  })
  .openapi(forgetObservation, async (c) => {
    const record = { kind: "observation", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const found = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!found) throw new Problem("not-found", NO_SUCH_OBSERVATION);
    return c.body(null, 204);
  })
  .openapi(forgetMemory, async (c) => {
    const record = { kind: "past_answer", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const found = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!found)
      throw new Problem("not-found", "There is no memory with this id. GET /v1/memory/past-answers lists them.");
    return c.body(null, 204);
  })
  .openapi(forgetProcedure, async (c) => {
    const record = { kind: "procedure", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const found = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!found)
      throw new Problem("not-found", "There is no procedure with this id. GET /v1/memory/procedures lists them.");
    return c.body(null, 204);
  })
  .openapi(forgetSession, async (c) => {
    const record = { kind: "session", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const found = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!found)
      throw new Problem("not-found", "Nothing is remembered of this session. GET /v1/memory/sessions lists them.");
    return c.body(null, 204);
  });

function forgetRoute<Path extends string, Params extends z.ZodObject>(path: Path, summary: string, params: Params) {
  return createRoute({
    method: "delete",
    path,
    summary,
    ...scoped("admin"),
    request: { params },
    responses: {
      204: { description: "Gone for good." },
      404: problemContent("There is no such record."),
      422: problemContent("The id is not valid."),
      503: problemContent("The database is away."),
    },
  });
}
