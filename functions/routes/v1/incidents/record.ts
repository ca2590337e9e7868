// One stored incident: read, delete.

import { createRoute } from "@hono/zod-openapi";
import { getIncident } from "../../../incidents/incident-records.ts";
import { deleteRecord } from "../../../investigation/learning/delete-record.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { actorOf } from "../../middleware/audit.ts";
import { NOT_MODIFIED, notModified } from "../../middleware/not-modified.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { idParam, incidentDetailSchema, NO_SUCH_INCIDENT, renderDetail } from "./incident-schema.ts";

const getRoute = createRoute({
  method: "get",
  path: "/v1/incidents/{id}",
  summary: "Read an incident with its timeline and triage",
  ...scoped("read", notModified),
  request: { params: idParam },
  responses: {
    200: jsonContent("The incident.", incidentDetailSchema),
    304: NOT_MODIFIED,
    404: problemContent("No incident has this id."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/incidents/{id}",
  summary: "Delete an incident and everything derived from it",
  ...scoped("admin"),
  request: { params: idParam },
  responses: {
    204: { description: "Deleted." },
    404: problemContent("No incident has this id."),
  },
});

export const incidentRecordRoutes = createRouter()
  .openapi(getRoute, async (c) => {
    const incident = await getIncident(c.get("services").database, c.req.valid("param").id);
    if (!incident) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(incident, c.get("caller")), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const record = { kind: "incident", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const isDeleted = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!isDeleted) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.body(null, 204);
  });
