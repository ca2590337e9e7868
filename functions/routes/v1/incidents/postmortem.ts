// GET /v1/incidents/{id}/postmortem: the draft of a postmortem.

import { createRoute, z } from "@hono/zod-openapi";
import { postmortem } from "../../../incidents/reports/postmortem.ts";
import { readPostmortemFacts } from "../../../incidents/reports/postmortem-facts.ts";
import { writePostmortem } from "../../../investigation/learning/write-postmortem.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { INCIDENT_EXAMPLE } from "./incident-examples.ts";
import { idParam, NO_SUCH_INCIDENT } from "./incident-schema.ts";

const postmortemRoute = createRoute({
  method: "get",
  path: "/v1/incidents/{id}/postmortem",
  summary: "Draft a postmortem of an incident",
  description:
    "Made from what is recorded, and not stored. With a model, and for a token that may triage, the model writes sentences from the same facts; those with other words are dropped.",
  ...scoped("read"),
  request: { params: idParam },
  responses: {
    200: jsonContent(
      "The draft.",
      z
        .object({ incident_id: z.string(), markdown: z.string() })
        .openapi({ example: { incident_id: INCIDENT_EXAMPLE.id, markdown: "# Postmortem: api-gateway …\n" } }),
    ),
    404: problemContent("No incident has this id."),
  },
});

export const postmortemRoutes = createRouter().openapi(postmortemRoute, async (c) => {
  const { id } = c.req.valid("param");
  const services = c.get("services");
  const { id: callerId, scopes } = c.get("caller");
  const facts = await readPostmortemFacts(services.database, id, services.now());
  if (!facts) throw new Problem("not-found", NO_SUCH_INCIDENT);
  // Reading costs no tokens: triages share their daily limit.
  const mayWrite = services.models !== null && scopes.includes("triage") && (await services.limits.triages(callerId));
  const markdown = mayWrite ? await writePostmortem(services, facts) : postmortem(facts);
  return c.json({ incident_id: id, markdown }, 200);
});
