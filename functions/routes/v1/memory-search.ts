// GET /v1/memory/search: tests what a query recalls from memory, with the parts of each score.

import { createRoute, z } from "@hono/zod-openapi";
import { MAX_STORED_SESSION_ID, storedSessionId } from "../../access/session-ids.ts";
import { searchMemory } from "../../investigation/search-memory.ts";
import { domainNameSchema, domainResultSchema } from "../../schemas/domain.ts";
import {
  incidentHitSchema,
  pastAnswerHitSchema,
  procedureHitSchema,
  warningSchema,
} from "../../schemas/triage-result.ts";
import { filledText } from "../http/input.ts";
import { withOwnSessionName } from "../http/own-session-names.ts";
import { createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import { TRIAGE_EXAMPLE } from "./triage-examples.ts";

const memorySearchSchema = z
  .object({
    domain: domainResultSchema,
    incidents: z.array(incidentHitSchema),
    past_answers: z.array(pastAnswerHitSchema),
    procedure: procedureHitSchema.nullable(),
    warnings: z.array(warningSchema),
  })
  .openapi({
    example: {
      domain: { name: "docker", rule: "given by the caller" },
      incidents: TRIAGE_EXAMPLE.recalled.incidents,
      past_answers: TRIAGE_EXAMPLE.recalled.past_answers,
      procedure: TRIAGE_EXAMPLE.recalled.procedure,
      warnings: [],
    },
  });

const route = createRoute({
  method: "get",
  path: "/v1/memory/search",
  summary: "Test what a query recalls",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      query: filledText(4_000).openapi({
        description: "The first line is the headline; further lines are evidence, such as a log.",
        example: "gateway killed, exit code 137",
      }),
      domain: domainNameSchema.optional().openapi({
        description: "Searches this domain, such as `docker`. If omitted, every domain, and the words prefer one.",
      }),
      session_id: filledText(MAX_STORED_SESSION_ID)
        .optional()
        .openapi({ description: "Past answers of this session rank higher." }),
    }),
  },
  responses: {
    200: jsonContent("The hits of each layer, best first.", memorySearchSchema),
    503: problemContent("Recall is unavailable: neither search works now."),
  },
});

export const memorySearchRoutes = createRouter().openapi(route, async (c) => {
  const { query, domain, session_id } = c.req.valid("query");
  const caller = c.get("caller");
  const sessionId = session_id === undefined ? undefined : storedSessionId(caller, session_id);
  const hits = await searchMemory(c.get("services"), { query, domain, sessionId });
  return c.json({ ...hits, past_answers: hits.past_answers.map((hit) => withOwnSessionName(caller, hit)) }, 200);
});
