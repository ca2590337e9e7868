// GET /v1/incidents/{id}/postmortem: the draft of a postmortem.

import { createRoute, z } from "@hono/zod-openapi";
import { postmortem } from "../../../incidents/reports/postmortem.ts";
import { readPostmortemFacts } from "../../../incidents/reports/postmortem-facts.ts";
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
    "Made without a model from what is recorded: alerts, changes, checks, answer, fixes, tries and other reports of the failure. It is not stored.",
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
  const { database, now } = c.get("services");
  const facts = await readPostmortemFacts(database, id, now());
  if (!facts) throw new Problem("not-found", NO_SUCH_INCIDENT);
  return c.json({ incident_id: id, markdown: postmortem(facts) }, 200);
});
