// GET /v1/quality/gaps: failures that no runbook answers, and a draft of a runbook for one of them.

import { createRoute, z } from "@hono/zod-openapi";
import { answerGapsSchema, listAnswerGaps, readGapEvidence } from "../../../quality/answer-gaps.ts";
import { draftRunbook } from "../../../quality/draft-runbook.ts";
import { startOfPeriod } from "../../../quality/period.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { periodQuery } from "./period-query.ts";

const GAP_ID = "5f2c9a1e0b7d4c38";
const INCIDENT_ID = "8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2";

const GAPS_EXAMPLE = {
  total: 1,
  gaps: [
    {
      id: GAP_ID,
      name: "LedgerReplicationStalled",
      domain: "kubernetes",
      alertname: "LedgerReplicationStalled",
      title: "Replication of the ledger stalled",
      incidents: 4,
      unanswered: 4,
      first_at: "2026-02-12T09:00:00+00:00",
      last_at: "2026-03-01T02:55:12+00:00",
      last_outcome: "unknown" as const,
      incident_ids: [INCIDENT_ID],
      targets: ["ledger"],
      services: 1,
      has_fix: true,
      runbook: null,
    },
  ],
};

const draftSchema = z
  .object({
    domain: z.string(),
    source: z.string().describe("A name for the runbook: the path of `PUT /v1/runbooks/{domain}/{source}`."),
    markdown: z.string(),
    has_fix: z.boolean().describe("False: no fix that helped is recorded, so the draft has no section *Mitigate*."),
  })
  .openapi({
    example: {
      domain: "kubernetes",
      source: "ledger-replication-stalled.md",
      markdown:
        "# LedgerReplicationStalled\n\n## Symptoms\n\n- The alert `LedgerReplicationStalled` fires.\n\n" +
        `## Mitigate\n\n1. Grew the volume. Helped in 3 of 4 incidents, last on 2026-02-20.\n\n` +
        `## Past incidents\n\n- 2026-03-01, ledger: Replication of the ledger stalled (\`${INCIDENT_ID}\`)\n`,
      has_fix: true,
    },
  });

const listRoute = createRoute({
  method: "get",
  path: "/v1/quality/gaps",
  summary: "List failures that no runbook answers",
  description:
    "Failures whose newest answer cites no runbook, or names no cause and did not lead to the fix. The newest 5,000 answers count.",
  ...scoped("read"),
  request: { query: periodQuery },
  responses: {
    200: jsonContent("The failures.", answerGapsSchema.meta({ example: GAPS_EXAMPLE })),
  },
});

const draftRoute = createRoute({
  method: "get",
  path: "/v1/quality/gaps/{id}/draft",
  summary: "Draft a runbook for a failure",
  description: "The draft is made from the newest ten incidents, without a model. It is not stored.",
  ...scoped("read"),
  request: { params: z.object({ id: z.string().openapi({ example: GAP_ID }) }), query: periodQuery },
  responses: {
    200: jsonContent("The draft.", draftSchema),
    404: problemContent("No failure of the period has this id."),
  },
});

export const answerGapRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { database, now } = c.get("services");
    return c.json(await listAnswerGaps(database, startOfPeriod(now(), c.req.valid("query").days)), 200);
  })
  .openapi(draftRoute, async (c) => {
    const { database, now } = c.get("services");
    const since = startOfPeriod(now(), c.req.valid("query").days);
    const evidence = await readGapEvidence(database, c.req.valid("param").id, since);
    if (evidence === null)
      throw new Problem(
        "not-found",
        "No failure of this period has this id. It may have got a runbook meanwhile, or the period is too short.",
      );
    const { domain, source, fixes } = evidence;
    const has_fix = fixes.some(({ worked }) => worked > 0);
    return c.json({ domain, source, markdown: draftRunbook(evidence), has_fix }, 200);
  });
