// The front door for those who do not wait: POST /v1/incidents stores the incident and says where to look for the answer.

import { createRoute, z } from "@hono/zod-openapi";
import { enqueueIncident } from "../../incidents/enqueue-incident.ts";
import { INCIDENT_STATUSES } from "../../incidents/incident-records.ts";
import { DOMAIN_NAMES } from "../../schemas/domain.ts";
import { requireJsonBody } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { hashOf, idempotencyHeaders, ownKey, triageRequestOf, triageRequestSchema } from "./triage-request.ts";

const receiptSchema = z.object({
  incident_id: z.uuid(),
  session_id: z.string(),
  status: z
    .enum(INCIDENT_STATUSES)
    .describe("Queued; for a repeated Idempotency-Key where the incident stands by now."),
  domain: z.object({ name: z.enum(DOMAIN_NAMES), rule: z.string() }),
  incident_type: z.object({ name: z.string(), rule: z.string() }),
});

const route = createRoute({
  method: "post",
  path: "/v1/incidents",
  summary: "Report an incident, to be investigated in the background",
  ...scoped("triage", requireJsonBody),
  request: {
    headers: idempotencyHeaders("build-4711"),
    body: { required: true, content: { "application/json": { schema: triageRequestSchema } } },
  },
  responses: {
    202: {
      description: "It is stored, and will be investigated. `Location` is where its triage will be.",
      headers: z.object({ location: z.string() }),
      content: { "application/json": { schema: receiptSchema } },
    },
    422: problemContent("The body is not valid, or the Idempotency-Key belongs to another body."),
    503: problemContent("The database is away: nothing is stored. Send it again."),
  },
});

export const enqueueIncidentRoutes = createRouter().openapi(route, async (c) => {
  const request = c.req.valid("json");
  const key = c.req.valid("header")["idempotency-key"];
  const caller = c.get("caller");
  // A key stands for one door's answer.
  const idempotency =
    key === undefined ? null : { key: ownKey(key, caller), requestHash: `incident:${hashOf(request)}` };
  const receipt = await enqueueIncident(c.get("services"), triageRequestOf(request, caller), {
    idempotency,
    runInBackground: c.get("runInBackground"),
  });
  if (receipt.state === "mismatch") {
    throw new Problem("idempotency-key-reused", "Use a new Idempotency-Key for a new request.", {
      errors: [{ field: "Idempotency-Key", message: "was used with another body" }],
    });
  }
  const { incident, state } = receipt;
  c.header("location", `/v1/incidents/${incident.id}`);
  if (state === "known") c.header("idempotent-replayed", "true");
  return c.json(
    {
      incident_id: incident.id,
      session_id: incident.session_id,
      status: incident.status,
      domain: { name: incident.domain, rule: incident.domain_rule },
      incident_type: { name: incident.incident_type, rule: incident.incident_type_rule },
    },
    202,
  );
});
