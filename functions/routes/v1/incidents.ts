// The front door to incidents on record: list, read, resolve, forget.

import { createRoute, z } from "@hono/zod-openapi";
import { incidentAlertsSchema } from "../../incidents/grouped-alerts.ts";
import {
  getIncident,
  INCIDENT_STATUSES,
  type IncidentRow,
  type IncidentWithHistory,
  incidentRowSchema,
  listIncidents,
} from "../../incidents/incident-records.ts";
import { resolveIncident } from "../../investigation/learning/resolve-incident.ts";
import { deleteRecord } from "../../memory/delete-record.ts";
import { DOMAIN_NAMES } from "../../schemas/domain.ts";
import { SEVERITIES } from "../../schemas/incident.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { pageOf, pageQuery, timeAndId } from "../http/pagination.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { actorOf } from "../middleware/audit.ts";
import { scoped } from "../middleware/require-scope.ts";

// What decided domain and type is a column beside each in the table, and belongs to it in the answer.
const incidentSchema = incidentRowSchema
  .omit({ domain: true, domain_rule: true, incident_type: true, incident_type_rule: true })
  .extend({
    domain: z.object({ name: z.enum(DOMAIN_NAMES), rule: z.string() }),
    incident_type: z.object({ name: z.string(), rule: z.string() }),
  });

const incidentDetailSchema = incidentSchema
  .extend({
    logs: z.string().nullable(),
    events: z.array(z.object({ at: z.string(), kind: z.string(), detail: z.record(z.string(), z.unknown()) })),
    alerts: incidentAlertsSchema.describe("The alerts that it covers; none where a person reported it."),
    triage: z.unknown().describe("The latest triage as it was returned; null while there is none."),
  })
  .openapi("Incident");

const idParam = z.object({ id: z.uuid() });

const listQuery = z.strictObject({
  ...pageQuery(timeAndId),
  domain: z.enum(DOMAIN_NAMES).optional().openapi({ example: "docker" }),
  status: z.enum(INCIDENT_STATUSES).optional().openapi({ example: "triaged" }),
  severity: z.enum(SEVERITIES).optional(),
  target: filledText(256).optional(),
  session_id: filledText(128).optional(),
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/incidents",
  summary: "List incidents, newest first",
  ...scoped("read"),
  request: { query: listQuery },
  responses: {
    200: {
      description: "A page.",
      content: {
        "application/json": {
          schema: z.object({ incidents: z.array(incidentSchema), next_cursor: z.string().nullable() }),
        },
      },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is away."),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/incidents/{id}",
  summary: "Read an incident with its timeline and triage",
  ...scoped("read"),
  request: { params: idParam },
  responses: {
    200: { description: "The incident.", content: { "application/json": { schema: incidentDetailSchema } } },
    404: problemContent("There is no such incident."),
    503: problemContent("The database is away."),
  },
});

const resolveRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/resolve",
  summary: "Say what fixed an incident",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: idParam,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.strictObject({
            resolution: filledText(4_000).openapi({
              example: "Raised the memory limit to 1 GiB and fixed the cache leak.",
            }),
            resolved_by: filledText(128).optional().openapi({ example: "dana" }),
            worked: z
              .boolean()
              .optional()
              .openapi({ description: "Whether Dejavu's answer led to this fix.", example: true }),
          }),
        },
      },
    },
  },
  responses: {
    200: { description: "The resolved incident.", content: { "application/json": { schema: incidentDetailSchema } } },
    404: problemContent("There is no such incident."),
    422: problemContent("The body is not valid."),
    503: problemContent("The database is away."),
  },
});

const forgetRoute = createRoute({
  method: "delete",
  path: "/v1/incidents/{id}",
  summary: "Forget an incident and all that was written of it",
  ...scoped("admin"),
  request: { params: idParam },
  responses: {
    204: { description: "Gone for good." },
    404: problemContent("There is no such incident."),
    503: problemContent("The database is away."),
  },
});

const NO_SUCH_INCIDENT = "There is no incident with this id. GET /v1/incidents lists them.";

export const incidentRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { limit, cursor, session_id, ...filters } = c.req.valid("query");
    const { database } = c.get("services");
    const before = cursor ?? null;
    const rows = await listIncidents(database, { ...filters, sessionId: session_id, limit: limit + 1, before });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
    return c.json({ incidents: page.map(renderIncident), next_cursor }, 200);
  })
  .openapi(getRoute, async (c) => {
    const found = await getIncident(c.get("services").database, c.req.valid("param").id);
    if (!found) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(found), 200);
  })
  .openapi(resolveRoute, async (c) => {
    const { resolution, resolved_by, worked } = c.req.valid("json");
    const incidentId = c.req.valid("param").id;
    const request = { incidentId, resolution, resolvedBy: resolved_by ?? null, worked: worked ?? null };
    const resolved = await resolveIncident(c.get("services"), request, c.get("runInBackground"));
    if (!resolved) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(resolved), 200);
  })
  .openapi(forgetRoute, async (c) => {
    const record = { kind: "incident", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const found = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!found) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.body(null, 204);
  });

function renderIncident(row: IncidentRow): z.infer<typeof incidentSchema> {
  const { domain, domain_rule, incident_type, incident_type_rule, ...rest } = row;
  return {
    ...rest,
    domain: { name: domain, rule: domain_rule },
    incident_type: { name: incident_type, rule: incident_type_rule },
  };
}

function renderDetail({ incident, events, alerts, triage }: IncidentWithHistory): z.infer<typeof incidentDetailSchema> {
  const { logs, ...row } = incident;
  return { ...renderIncident(row), logs, events, alerts, triage: triage ?? null };
}
