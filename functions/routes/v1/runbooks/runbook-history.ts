// The versions of a runbook, and the incidents that it answered.

import { createRoute, z } from "@hono/zod-openapi";
import { runbookName } from "../../../knowledge/ingest.ts";
import { listRunbookUses, runbookUsesSchema } from "../../../knowledge/runbook-uses.ts";
import {
  getRunbookVersion,
  listRunbookVersions,
  runbookVersionSchema,
  versionTextSchema,
} from "../../../knowledge/runbook-versions.ts";
import { textId } from "../../../knowledge/text-documents.ts";
import { pageOf, pageQuery, timeAndId } from "../../http/pagination.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";
import { ETAG_EXAMPLE, SECTIONS_EXAMPLE, USES_EXAMPLE } from "../text-schemas.ts";
import { NO_SUCH_RUNBOOK, runbookParams } from "./runbooks.ts";

const VERSION_EXAMPLE = {
  number: 3,
  etag: ETAG_EXAMPLE,
  title: "Ingress answers 502",
  bytes: 1_804,
  stored_at: "2026-11-22T03:00:00+00:00",
  stored_by: "ci",
} as const;

const MAX_NUMBER = 2_147_483_647;
const versionNumber = z.tuple([z.number().int().min(1).max(MAX_NUMBER)]).transform(([number]) => number);

const versionsRoute = createRoute({
  method: "get",
  path: "/v1/runbooks/{domain}/{source}/versions",
  summary: "List the versions of a runbook",
  ...scoped("read"),
  request: { params: runbookParams, query: z.strictObject(pageQuery(versionNumber)) },
  responses: {
    200: jsonContent(
      "A page of versions. The newest 50 texts that the API stored are kept; texts of a folder are in its files.",
      z.object({ versions: z.array(runbookVersionSchema), next_cursor: z.string().nullable() }),
      { versions: [VERSION_EXAMPLE], next_cursor: null },
    ),
    404: problemContent("No runbook has this name."),
  },
});

const versionRoute = createRoute({
  method: "get",
  path: "/v1/runbooks/{domain}/{source}/versions/{number}",
  summary: "Read a version of a runbook",
  ...scoped("read"),
  request: {
    params: runbookParams.extend({ number: z.coerce.number().int().min(1).max(MAX_NUMBER).openapi({ example: 1 }) }),
  },
  responses: {
    200: jsonContent("The version with its text.", versionTextSchema, {
      ...VERSION_EXAMPLE,
      text: SECTIONS_EXAMPLE.text,
    }),
    404: problemContent("No runbook has this name, or it has no such version."),
  },
});

const usesRoute = createRoute({
  method: "get",
  path: "/v1/runbooks/{domain}/{source}/uses",
  summary: "List the incidents whose answers cite a runbook",
  ...scoped("read"),
  request: { params: runbookParams, query: z.strictObject(pageQuery(timeAndId)) },
  responses: {
    200: jsonContent(
      "A page of incidents, and how often the runbook helped.",
      runbookUsesSchema.extend({ next_cursor: z.string().nullable() }),
      {
        totals: USES_EXAMPLE,
        topics: [{ anchor: "no-endpoints", title: "No endpoints", answered: 12, helped: 9, did_not_help: 0 }],
        uses: [
          {
            incident_id: "0197f0a2-5c1e-7b3d-9a44-0d6f2f6f1c11",
            triage_id: "0197f0a2-5d10-7c55-8e0b-3f1f5f0a9c22",
            at: "2026-11-22T03:00:00+00:00",
            topics: ["no-endpoints"],
            title: "Ingress answers 502",
            target: "edge",
            severity: "high",
            status: "resolved",
            outcome: "cause",
            confidence: 0.86,
            worked: true,
            rating_up: 1,
            rating_down: 0,
          },
        ],
        next_cursor: null,
      },
    ),
    404: problemContent("No runbook has this name."),
  },
});

const NO_SUCH_VERSION = "The runbook has no version of this number. List versions with GET …/versions.";

export const runbookHistoryRoutes = createRouter()
  .openapi(versionsRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const page = { limit: limit + 1, before: cursor };
    const rows = await listRunbookVersions(c.get("services").database, idOf(c.req.valid("param")), page);
    if (!rows) throw new Problem("not-found", NO_SUCH_RUNBOOK);
    const { page: versions, next_cursor } = pageOf(rows, limit, ({ number }) => [number]);
    return c.json({ versions, next_cursor }, 200);
  })
  .openapi(versionRoute, async (c) => {
    const { number, ...runbook } = c.req.valid("param");
    const version = await getRunbookVersion(c.get("services").database, idOf(runbook), number);
    if (!version) throw new Problem("not-found", NO_SUCH_VERSION);
    return c.json(version, 200);
  })
  .openapi(usesRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const page = { limit: limit + 1, before: cursor };
    const result = await listRunbookUses(c.get("services").database, idOf(c.req.valid("param")), page);
    if (!result) throw new Problem("not-found", NO_SUCH_RUNBOOK);
    const { page: uses, next_cursor } = pageOf(result.uses, limit, (use) => [use.at, use.incident_id]);
    return c.json({ ...result, uses, next_cursor }, 200);
  });

function idOf({ domain, source }: z.infer<typeof runbookParams>): string {
  return textId(runbookName(domain, source));
}
