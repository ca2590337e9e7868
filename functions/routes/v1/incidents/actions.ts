// What people do in an incident besides resolving it: tick steps, reopen it, correct its domain.

import { createRoute, z } from "@hono/zod-openapi";
import { incidentStepSchema, incidentSteps, STEP_KEY, setIncidentStep } from "../../../incidents/detail/steps.ts";
import { getIncident, storedTriage } from "../../../incidents/incident-records.ts";
import { moveToDomain, reopen } from "../../../investigation/learning/correct-incident.ts";
import { getDomain } from "../../../knowledge/domain-records.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { filledText, requireJsonBody } from "../../http/input.ts";
import { outsideDomains, Problem } from "../../http/problem.ts";
import { createRouter, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { STEP_EXAMPLE } from "./incident-examples.ts";
import { idParam, incidentDetailSchema, NO_SUCH_INCIDENT, renderDetail } from "./incident-schema.ts";

const by = filledText(128).optional().openapi({ description: "The person who does it.", example: "dana" });

const stepRoute = createRoute({
  method: "put",
  path: "/v1/incidents/{id}/steps/{key}",
  summary: "Tick or untick a step of the answer, for everybody",
  ...scoped("feedback", requireJsonBody),
  request: {
    params: idParam.extend({
      key: z
        .string()
        .regex(STEP_KEY, "must be the key of a step: 16 hexadecimal digits")
        .openapi({ description: "From `steps` of the incident.", example: STEP_EXAMPLE.key }),
    }),
    body: {
      required: true,
      content: { "application/json": { schema: z.strictObject({ done: z.boolean().openapi({ example: true }), by }) } },
    },
  },
  responses: {
    200: {
      description: "The step.",
      content: { "application/json": { schema: incidentStepSchema.openapi({ example: STEP_EXAMPLE }) } },
    },
    404: problemContent("No incident has this id, or its latest answer has no such step."),
  },
});

const reopenSchema = z.strictObject({
  reason: filledText(4_000).optional().openapi({ example: "The container was killed again at 04:10." }),
  by,
});

const reopenRoute = createRoute({
  method: "post",
  path: "/v1/incidents/{id}/reopen",
  summary: "Open a resolved incident again",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: { required: true, content: { "application/json": { schema: reopenSchema } } } },
  responses: {
    200: {
      description: "The incident. Its fix stays on record as one that helped and came back.",
      content: { "application/json": { schema: incidentDetailSchema } },
    },
    404: problemContent("No incident has this id."),
    409: problemContent("The incident is not resolved."),
  },
});

const correctionSchema = z.strictObject({
  domain: domainNameSchema.openapi({ description: "A domain that exists.", example: "docker" }),
  by,
});

const correctRoute = createRoute({
  method: "patch",
  path: "/v1/incidents/{id}",
  summary: "Correct the domain of an incident",
  ...scoped("feedback", requireJsonBody),
  request: { params: idParam, body: { required: true, content: { "application/json": { schema: correctionSchema } } } },
  responses: {
    200: {
      description: "The incident. Its memory has moved to the domain, and later runs keep it.",
      content: { "application/json": { schema: incidentDetailSchema } },
    },
    403: problemContent("The token is restricted to other domains, or lacks the scope."),
    404: problemContent("No incident has this id."),
    422: problemContent("The body is not valid, or no domain has this name."),
    503: problemContent("The database is unavailable, or the records change too often."),
  },
});

const NO_SUCH_STEP = "The latest answer of the incident has no step with this key. Read `steps` of the incident again.";
const NOT_RESOLVED = "The incident is not resolved. Only a resolved incident can be reopened.";

export const incidentActionRoutes = createRouter()
  .openapi(stepRoute, async (c) => {
    const { id, key } = c.req.valid("param");
    const { done, by } = c.req.valid("json");
    const { database, now } = c.get("services");
    const record = await getIncident(database, id);
    if (!record) throw new Problem("not-found", NO_SUCH_INCIDENT);
    const step = incidentSteps(storedTriage(record).triage, []).find((each) => each.key === key);
    if (!step) throw new Problem("not-found", NO_SUCH_STEP);
    const ticked = await setIncidentStep(database, { incidentId: id, key, done, by: by ?? null, now: now() });
    if (!ticked) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json({ ...step, ...ticked }, 200);
  })
  .openapi(reopenRoute, async (c) => {
    const { reason, by } = c.req.valid("json");
    const request = { incidentId: c.req.valid("param").id, reason: reason ?? null, by: by ?? null };
    const reopened = await reopen(c.get("services"), request, c.get("runInBackground"));
    if (!reopened) throw new Problem("not-found", NO_SUCH_INCIDENT);
    if (reopened.state === "open") throw new Problem("not-resolved", NOT_RESOLVED);
    return c.json(renderDetail(reopened.record, c.get("caller")), 200);
  })
  .openapi(correctRoute, async (c) => {
    const { domain, by } = c.req.valid("json");
    const services = c.get("services");
    const { id } = c.req.valid("param");
    if (!(await getIncident(services.database, id))) throw new Problem("not-found", NO_SUCH_INCIDENT);
    const domains = services.restriction?.domains;
    if (domains && !domains.includes(domain))
      throw outsideDomains(domains, `The incident would move to \`${domain}\`.`);
    if (!(await getDomain(services.database, domain))) {
      const message = "No domain has this name. List the domains with GET /v1/domains.";
      throw new Problem("invalid-request", message, { errors: [{ field: "domain", message }] });
    }
    const request = { incidentId: id, domain, by: by ?? c.get("caller").name };
    const corrected = await moveToDomain(services, request, c.get("runInBackground"));
    if (!corrected) throw new Problem("not-found", NO_SUCH_INCIDENT);
    return c.json(renderDetail(corrected, c.get("caller")), 200);
  });
