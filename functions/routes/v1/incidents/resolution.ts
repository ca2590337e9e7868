// Resolve an incident, and record what was tried.

import { createRoute, z } from "@hono/zod-openapi";
import { type Caller, personName } from "../../../access/caller.ts";
import type { IncidentWithHistory } from "../../../incidents/incident-records.ts";
import { fixText } from "../../../incidents/resolution-records.ts";
import { recordTry } from "../../../investigation/learning/record-try.ts";
import { resolveIncident } from "../../../investigation/learning/resolve-incident.ts";
import type { InvestigationServices } from "../../../investigation/run/investigation-services.ts";
import type { FixAuthor } from "../../../memory/fixes.ts";
import { filledText, personField, requireJsonBody } from "../../http/input.ts";
import { Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { idParam, incidentDetailSchema, NO_SUCH_INCIDENT, renderDetail } from "./incident-schema.ts";

const fixId = z.uuid().optional().openapi({
  description: "A recorded fix that was applied again, from `fixes` of a past incident.",
});
const conditions = filledText(4_000)
  .optional()
  .openapi({ description: "Versions or conditions under which it helps.", example: "gateway before 4.2" });

const resolutionSchema = z
  .strictObject({
    resolution: filledText(4_000)
      .optional()
      .openapi({ example: "Raised the memory limit to 1 GiB and fixed the cache leak." }),
    fix_id: fixId,
    resolved_by: personField,
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
    by: personField,
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
    body: bodyContent(resolutionSchema),
  },
  responses: {
    200: jsonContent("The resolved incident.", incidentDetailSchema),
    202: jsonContent(
      "The database is unavailable: the fix waits in a queue. It is recorded when the database is back, if an incident has this id.",
      pendingResolutionSchema,
    ),
    404: problemContent("No incident has this id."),
    409: problemContent("Another caller recorded the fix of this incident."),
    503: problemContent("Database and queue are unavailable, or a `fix_id` cannot be looked up without the database."),
  },
});

const tryRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/tries",
  summary: "Record that an action was tried",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: bodyContent(trySchema) },
  responses: {
    200: jsonContent("The incident.", incidentDetailSchema),
    404: problemContent("No incident has this id."),
  },
});

export const incidentResolutionRoutes = createRouter()
  .openapi(resolveRoute, async (c) => {
    const { resolution, fix_id, resolved_by, conditions, did_not_help, worked } = c.req.valid("json");
    const recorded = await textOfFix(c.get("services"), fix_id);
    const request = {
      incidentId: c.req.valid("param").id,
      resolution: resolution ?? recorded ?? "",
      fixId: fix_id ?? null,
      resolvedBy: personName(c.get("caller"), resolved_by),
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
      by: personName(c.get("caller"), by),
      author: authorOf(c.get("caller")),
      conditions: conditions ?? null,
    };
    const incident = await recordTry(c.get("services"), request, c.get("runInBackground"));
    if (!incident) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(incident, c.get("caller")), 200);
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
