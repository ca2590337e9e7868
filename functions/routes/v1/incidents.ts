// Stored incidents: list, read, resolve, delete.

import { createRoute, z } from "@hono/zod-openapi";
import type { Caller } from "../../access/caller.ts";
import { MAX_STORED_SESSION_ID, storedSessionId } from "../../access/session-ids.ts";
import { incidentAlertsSchema } from "../../incidents/grouped-alerts.ts";
import {
  getIncident,
  type IncidentRow,
  type IncidentWithHistory,
  incidentDigits,
  incidentEventSchema,
  incidentRowSchema,
  listIncidents,
  storedTriage,
} from "../../incidents/incident-records.ts";
import { fixText } from "../../incidents/resolution-records.ts";
import { recordTry } from "../../investigation/learning/record-try.ts";
import { resolveIncident } from "../../investigation/learning/resolve-incident.ts";
import type { InvestigationServices } from "../../investigation/run/services.ts";
import { deleteRecord } from "../../memory/delete-record.ts";
import type { FixAuthor } from "../../memory/fixes.ts";
import { domainNameSchema, domainResultSchema } from "../../schemas/domain.ts";
import { SEVERITIES } from "../../schemas/incident.ts";
import { INCIDENT_STATUSES } from "../../schemas/incident-values.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { pageOf, pageQuery, timeAndId } from "../http/pagination.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { named, namedResult } from "../http/session-names.ts";
import { actorOf } from "../middleware/audit.ts";
import { scoped } from "../middleware/require-scope.ts";
import { TRIAGE_EXAMPLE, triageSchema } from "./triage-schema.ts";

const INCIDENT_EXAMPLE = {
  id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  created_at: "2026-03-01T03:00:00+00:00",
  title: "api-gateway container exited with code 137",
  question: null,
  target: "api-gateway",
  runbook: null,
  severity: "high" as const,
  labels: { container_runtime: "docker" },
  session_id: "on-call-2026-03-01",
  status: "triaged" as const,
  resolution: null,
  resolved_by: null,
  resolved_at: null,
  worked: null,
  reported_by: "service",
  previous_id: null,
  benign: false,
  domain: { name: "docker" as const, rule: "label container_runtime=docker" },
  incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
};

// The table holds the rule that chose the domain or the type in a column of its own; the response groups them.
const incidentSchema = incidentRowSchema
  .omit({ domain: true, domain_rule: true, incident_type: true, incident_type_rule: true })
  .extend({
    domain: domainResultSchema,
    incident_type: z.object({ name: z.string(), rule: z.string() }),
  })
  .openapi({ example: INCIDENT_EXAMPLE });

const incidentDetailSchema = incidentSchema
  .extend({
    logs: z.string().nullable(),
    events: z.array(incidentEventSchema),
    alerts: incidentAlertsSchema.describe("Alerts grouped into the incident; none if a person reported it."),
    triage: z.union([triageSchema, z.null()]).openapi({
      description: "The latest triage result; null before the first triage, and when `triage_unreadable` is true.",
    }),
    triage_unreadable: z.boolean().openapi({
      description: "True when a triage result is stored, but in a format that this version of Dejavu cannot read.",
    }),
  })
  .openapi("Incident", {
    example: {
      ...INCIDENT_EXAMPLE,
      logs: "Memory cgroup out of memory: Killed process 4711 (node)",
      events: [
        { at: "2026-03-01T03:00:00+00:00", kind: "reported", detail: {} },
        {
          at: "2026-03-01T03:00:02+00:00",
          kind: "triaged",
          detail: { mode: "extractive", outcome: "cause", confidence: 0.86 },
        },
      ],
      alerts: { total: 0, firing: 0, targets: [], latest: [] },
      triage: TRIAGE_EXAMPLE,
      triage_unreadable: false,
    },
  });

const idParam = z.object({ id: z.uuid() });

const MIN_PREFIX_DIGITS = 4;

const idPrefix = z
  .string()
  .transform((text, context) => {
    const digits = incidentDigits(text, MIN_PREFIX_DIGITS);
    if (digits !== undefined) return digits;
    const message = `must be the beginning of an id: at least ${MIN_PREFIX_DIGITS} of its hexadecimal digits`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .optional()
  .openapi({
    type: "string",
    description: `The beginning of an id, at least ${MIN_PREFIX_DIGITS} digits, such as 3f2a8c1e; hyphens may be left out.`,
  });

const listQuery = z.strictObject({
  ...pageQuery(timeAndId),
  domain: domainNameSchema.optional().openapi({ description: "The name of a domain, such as `docker`." }),
  status: z.enum(INCIDENT_STATUSES).optional(),
  severity: z.enum(SEVERITIES).optional(),
  target: filledText(256).optional(),
  session_id: filledText(MAX_STORED_SESSION_ID).optional(),
  id_prefix: idPrefix,
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/incidents",
  summary: "List incidents, newest first",
  ...scoped("read"),
  request: { query: listQuery },
  responses: {
    200: {
      description: "A page of incidents.",
      content: {
        "application/json": {
          schema: z.object({ incidents: z.array(incidentSchema), next_cursor: z.string().nullable() }),
        },
      },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is unavailable."),
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
    404: problemContent("No incident has this id."),
    503: problemContent("The database is unavailable."),
  },
});

const fixId = z.uuid().optional().openapi({
  description: "A recorded fix that was applied again, from `fixes` of a past incident.",
});
const conditions = filledText(4_000)
  .optional()
  .openapi({ description: "Versions or conditions under which it helps.", example: "gateway before 4.2" });
const by = filledText(128).optional().openapi({ example: "dana" });

const resolutionSchema = z
  .strictObject({
    resolution: filledText(4_000)
      .optional()
      .openapi({ example: "Raised the memory limit to 1 GiB and fixed the cache leak." }),
    fix_id: fixId,
    resolved_by: by,
    conditions,
    did_not_help: z
      .array(filledText(4_000))
      .max(10)
      .optional()
      .openapi({ description: "Actions that were tried and did not help.", example: ["Restarted the container."] }),
    worked: z.boolean().optional().openapi({ description: "Whether Dejavu's answer led to this fix.", example: true }),
  })
  .refine(({ resolution, fix_id }) => resolution !== undefined || fix_id !== undefined, {
    path: ["resolution"],
    message: "is needed, unless there is a fix_id",
  });

const pendingResolutionSchema = z
  .object({ incident_id: z.string(), persisted: z.literal("pending") })
  .openapi({ example: { incident_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a", persisted: "pending" } });

const trySchema = z
  .strictObject({
    action: filledText(4_000).optional().openapi({ example: "Restarted the container." }),
    fix_id: fixId,
    helped: z.boolean().openapi({ example: false }),
    by,
    conditions,
  })
  .refine(({ action, fix_id }) => action !== undefined || fix_id !== undefined, {
    path: ["action"],
    message: "is needed, unless there is a fix_id",
  });

const resolveRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/resolve",
  summary: "Resolve an incident",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: idParam,
    body: {
      required: true,
      content: {
        "application/json": {
          schema: resolutionSchema,
        },
      },
    },
  },
  responses: {
    200: { description: "The resolved incident.", content: { "application/json": { schema: incidentDetailSchema } } },
    202: {
      description:
        "The database is unavailable: the fix waits in a queue. It is recorded when the database is back, if an incident has this id.",
      content: { "application/json": { schema: pendingResolutionSchema } },
    },
    404: problemContent("No incident has this id."),
    409: problemContent("Another caller recorded the fix of this incident."),
    422: problemContent("The body is not valid."),
    503: problemContent("Database and queue are unavailable, or a `fix_id` cannot be looked up without the database."),
  },
});

const tryRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/tries",
  summary: "Record that an action was tried, whether it helped or not",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: { required: true, content: { "application/json": { schema: trySchema } } } },
  responses: {
    200: { description: "The incident.", content: { "application/json": { schema: incidentDetailSchema } } },
    404: problemContent("No incident has this id."),
    422: problemContent("The body is not valid."),
    503: problemContent("The database is unavailable."),
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
    503: problemContent("The database is unavailable."),
  },
});

const NO_SUCH_INCIDENT =
  "No incident has this id. One that was answered with persisted: pending is stored within a minute after the database is back. List incidents with GET /v1/incidents.";

export const incidentRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { limit, cursor, session_id, id_prefix, ...filters } = c.req.valid("query");
    const { database } = c.get("services");
    const caller = c.get("caller");
    const sessionId = session_id === undefined ? undefined : storedSessionId(caller, session_id);
    const rowsAfter = { limit: limit + 1, before: cursor ?? null };
    const rows = await listIncidents(database, { ...filters, ...rowsAfter, sessionId, digits: id_prefix });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
    return c.json({ incidents: page.map((row) => renderIncident(row, caller)), next_cursor }, 200);
  })
  .openapi(getRoute, async (c) => {
    const incident = await getIncident(c.get("services").database, c.req.valid("param").id);
    if (!incident) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(incident, c.get("caller")), 200);
  })
  .openapi(resolveRoute, async (c) => {
    const { resolution, fix_id, resolved_by, conditions, did_not_help, worked } = c.req.valid("json");
    const recorded = await textOfFix(c.get("services"), fix_id);
    const request = {
      incidentId: c.req.valid("param").id,
      resolution: resolution ?? recorded ?? "",
      fixId: fix_id ?? null,
      resolvedBy: resolved_by ?? null,
      conditions: conditions ?? null,
      didNotHelp: did_not_help ?? [],
      worked: worked ?? null,
      author: authorOf(c.get("caller")),
    };
    const resolved = await resolveIncident(c.get("services"), request, c.get("runInBackground"));
    if (!resolved) throw new Problem("not-found", NO_SUCH_INCIDENT);
    if (resolved.state === "of_another") throw new Problem("resolved-by-another", ofAnother(resolved.record));
    if (resolved.state === "pending")
      return c.json({ incident_id: request.incidentId, persisted: "pending" } as const, 202);
    return c.json(renderDetail(resolved.record, c.get("caller")), 200);
  })
  .openapi(tryRoute, async (c) => {
    const { action, fix_id, helped, by, conditions } = c.req.valid("json");
    const recorded = await textOfFix(c.get("services"), fix_id);
    const request = {
      incidentId: c.req.valid("param").id,
      action: action ?? recorded ?? "",
      fixId: fix_id ?? null,
      helped,
      by: by ?? null,
      author: authorOf(c.get("caller")),
      conditions: conditions ?? null,
    };
    const incident = await recordTry(c.get("services"), request, c.get("runInBackground"));
    if (!incident) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(incident, c.get("caller")), 200);
  })
  .openapi(deleteRoute, async (c) => {
    const record = { kind: "incident", id: c.req.valid("param").id, by: actorOf(c) } as const;
    const isDeleted = await deleteRecord(c.get("services"), record, c.get("runInBackground"));
    if (!isDeleted) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.body(null, 204);
  });

function authorOf({ id, scopes }: Caller): FixAuthor {
  return { caller: id, isAdmin: scopes.includes("admin") };
}

/** Who may replace the fix, and how others report theirs. */
function ofAnother({ incident: { id, resolved_by } }: IncidentWithHistory): string {
  const name = resolved_by === null ? "Another caller" : `${JSON.stringify(resolved_by)}, as another caller,`;
  return `${name} recorded the fix of this incident. Only that caller or a token with the scope admin may replace it. To record yours beside it, send POST /v1/incidents/${id}/tries with {"action": "<what fixed it>", "helped": true}.`;
}

/** Null without an id. @throws Problem for an unknown fix */
async function textOfFix(
  { database }: Pick<InvestigationServices, "database">,
  id: string | undefined,
): Promise<string | null> {
  if (id === undefined) return null;
  const text = await fixText(database, id);
  if (text !== null) return text;
  const message = "No fix has this id. Past incidents list theirs in `fixes`.";
  throw new Problem("invalid-request", message, { errors: [{ field: "fix_id", message }] });
}

function renderIncident(row: IncidentRow, caller: Caller): z.infer<typeof incidentSchema> {
  const { domain, domain_rule, incident_type, incident_type_rule, ...rest } = row;
  return {
    ...named(caller, rest),
    domain: { name: domain, rule: domain_rule },
    incident_type: { name: incident_type, rule: incident_type_rule },
  };
}

function renderDetail(record: IncidentWithHistory, caller: Caller): z.infer<typeof incidentDetailSchema> {
  const { events, alerts } = record;
  const { logs, resolved_by_caller, ...row } = record.incident;
  const { triage, isUnreadable } = storedTriage(record);
  const ownTriage = triage === null ? null : namedResult(caller, triage);
  return { ...renderIncident(row, caller), logs, events, alerts, triage: ownTriage, triage_unreadable: isUnreadable };
}
