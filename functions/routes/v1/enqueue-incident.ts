// POST /v1/incidents: stores an incident, which is investigated in the background.

import { createRoute, z } from "@hono/zod-openapi";
import { sessionName } from "../../access/session-ids.ts";
import { enqueueIncident } from "../../incidents/enqueue-incident.ts";
import { domainResultSchema } from "../../schemas/domain.ts";
import { INCIDENT_STATUSES } from "../../schemas/incident-values.ts";
import { requireJsonBody } from "../http/input.ts";
import { Problem, tooManyWaiting } from "../http/problem.ts";
import { refuseForeignReport } from "../http/refuse-foreign-report.ts";
import { bodyContent, createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { idempotencyHeaders, ownKey, requestHash, triageRequestOf, triageRequestSchema } from "./triage-request.ts";

const receiptSchema = z
  .object({
    incident_id: z.uuid(),
    session_id: z.string(),
    status: z
      .enum(INCIDENT_STATUSES)
      .describe("`queued`; for a repeated Idempotency-Key, the incident's current status."),
    domain: domainResultSchema,
    incident_type: z.object({ name: z.string(), rule: z.string() }),
    persisted: z
      .union([z.literal(true), z.literal("pending")])
      .describe(
        "`pending`: the database is unavailable; the incident waits in a queue and is stored under this id when it is back.",
      ),
  })
  .openapi({
    example: {
      incident_id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
      session_id: "on-call-2026-03-01",
      status: "queued",
      domain: { name: "docker", rule: "label container_runtime=docker" },
      incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
      persisted: true,
    },
  });

const route = createRoute({
  method: "post",
  path: "/v1/incidents",
  summary: "Report an incident for investigation in the background",
  ...scoped(["report", "triage"], requireJsonBody),
  request: {
    headers: idempotencyHeaders,
    body: bodyContent(triageRequestSchema),
  },
  responses: {
    202: {
      description:
        "The incident is stored and queued, or waits in the queue until the database is back (`persisted`). `Location` is the incident, which will hold its triage.",
      headers: z.object({ location: z.string() }),
      content: { "application/json": { schema: receiptSchema } },
    },
    422: problemContent("The body is not valid, or the Idempotency-Key belongs to another body."),
    503: problemContent(
      "Database and queue are unavailable, the report is too large for the queue (126 kB), or too many incidents of the token wait: nothing is stored. Send the request again after `Retry-After`.",
    ),
  },
});

export const enqueueIncidentRoutes = createRouter().openapi(route, async (c) => {
  const request = c.req.valid("json");
  const key = c.req.valid("header")["idempotency-key"];
  const caller = c.get("caller");
  // The prefix keeps the same key apart from one used with POST /v1/triage.
  const idempotency =
    key === undefined ? null : { key: ownKey(key, caller), requestHash: `incident:${requestHash(request)}` };
  await refuseForeignReport(c.get("services"), request.labels);
  const receipt = await enqueueIncident(c.get("services"), triageRequestOf(request, caller, c.get("services").newId), {
    idempotency,
    runInBackground: c.get("runInBackground"),
  });
  if (receipt.state === "mismatch") {
    throw new Problem(
      "idempotency-key-reused",
      "This Idempotency-Key was used with another body. Send a new key, or none.",
      {
        errors: [{ field: "Idempotency-Key", message: "was used with another body" }],
      },
    );
  }
  if (receipt.state === "full")
    throw tooManyWaiting(c.get("services").config.MAX_WAITING_INCIDENTS, "The incident is not stored.");
  const { incident, state } = receipt;
  c.header("location", `/v1/incidents/${incident.id}`);
  if (state === "known" || (state === "pending" && receipt.isRepeated)) c.header("idempotent-replayed", "true");
  return c.json(
    {
      incident_id: incident.id,
      session_id: sessionName(caller, incident.session_id),
      status: incident.status,
      domain: { name: incident.domain, rule: incident.domain_rule },
      incident_type: { name: incident.incident_type, rule: incident.incident_type_rule },
      persisted: state === "pending" ? ("pending" as const) : (true as const),
    },
    202,
  );
});
