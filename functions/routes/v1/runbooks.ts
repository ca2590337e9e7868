// The front door for runbooks: put one under its path, list, read, delete.

import { createRoute, z } from "@hono/zod-openapi";
import { ingestRunbook, MAX_DOCUMENT_BYTES, removeSource, runbookSource } from "../../knowledge/ingest.ts";
import { isPublicName, NOT_PUBLIC, sourceId } from "../../knowledge/source-documents.ts";
import { getSource, listSources, sourceDetailSchema, sourceEntrySchema } from "../../knowledge/source-records.ts";
import { DOMAIN_NAMES } from "../../schemas/domain.ts";
import { mediaType, requireTextBody, text } from "../http/input.ts";
import { pageOf, pageQuery } from "../http/pagination.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";
import {
  EXAMPLE_RUNBOOK,
  INGESTED_EXAMPLE,
  ingestedReply,
  ingestedSchema,
  removedSchema,
  SECTIONS_EXAMPLE,
  sourceName,
  stored,
} from "./sources.ts";

const TEXT_TYPES = ["text/markdown", "text/plain"] as const;
const KINDS = ["runbook"] as const;
/** In any script; no part of it is empty or begins with a dot. */
const PATH = /^[\p{L}\p{N}_-][\p{L}\p{N}._ -]*(?:\/[\p{L}\p{N}_-][\p{L}\p{N}._ -]*)*$/u;

const params = z.object({
  domain: z.enum(DOMAIN_NAMES).openapi({ example: "kubernetes" }),
  source: text(200)
    .refine((source) => PATH.test(source), "must be a path of letters, digits, dots, blanks, hyphens and underscores")
    .refine(isPublicName, NOT_PUBLIC)
    .openapi({
      description: "A path. Its slashes may stand as they are or as %2F.",
      example: "team/ingress.md",
    }),
});

const runbookText = z
  .string()
  .openapi({ example: "# Ingress answers 502\n\n## Mitigate\n\n1. Restart the controller." });

const ingestedContent = {
  content: {
    "application/json": {
      schema: ingestedSchema,
      example: { ...EXAMPLE_RUNBOOK, ...INGESTED_EXAMPLE, domain_rule: "given by the caller" },
    },
  },
};

const putRoute = createRoute({
  method: "put",
  path: "/v1/runbooks/{domain}/{source}",
  summary: "Put a runbook in place of the one that has this name",
  ...scoped("ingest", requireTextBody(TEXT_TYPES, MAX_DOCUMENT_BYTES)),
  request: {
    params,
    body: {
      required: true,
      description: `At most ${MAX_DOCUMENT_BYTES} bytes of UTF-8. Front matter may give \`incident_type\` and \`tags\`.`,
      content: { "text/markdown": { schema: runbookText }, "text/plain": { schema: runbookText } },
    },
  },
  responses: {
    200: {
      description: "It took the place of the former one; the same text again changes nothing.",
      ...ingestedContent,
    },
    201: { description: "It is new.", ...ingestedContent },
    409: problemContent("The name belongs to a note, a log or a postmortem."),
    413: problemContent("The text is too large."),
    415: problemContent("The content type is not supported."),
    422: problemContent("The path or the text is not valid."),
    503: problemContent("The database is away; nothing was stored."),
  },
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/runbooks",
  summary: "List runbooks by name",
  ...scoped("read"),
  request: { query: z.strictObject({ ...pageQuery(sourceName), domain: z.enum(DOMAIN_NAMES).optional() }) },
  responses: {
    200: {
      description: "A page.",
      content: {
        "application/json": {
          schema: z.object({ runbooks: z.array(sourceEntrySchema), next_cursor: z.string().nullable() }),
          example: { runbooks: [EXAMPLE_RUNBOOK], next_cursor: null },
        },
      },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is away."),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/runbooks/{domain}/{source}",
  summary: "Read a runbook",
  ...scoped("read"),
  request: { params },
  responses: {
    200: {
      description: "The runbook.",
      content: {
        "application/json": { schema: sourceDetailSchema, example: { ...EXAMPLE_RUNBOOK, ...SECTIONS_EXAMPLE } },
      },
    },
    404: problemContent("There is no such runbook."),
    422: problemContent("The path is not valid."),
    503: problemContent("The database is away."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/runbooks/{domain}/{source}",
  summary: "Remove a runbook; one that comes from a folder is back when the folder is loaded again",
  ...scoped("ingest"),
  request: { params },
  responses: {
    200: {
      description: "Gone: no answer rests on it any more.",
      content: { "application/json": { schema: removedSchema } },
    },
    404: problemContent("There is no such runbook."),
    422: problemContent("The path is not valid."),
    503: problemContent("The database is away."),
  },
});

const NO_SUCH_RUNBOOK = "There is no runbook of this name in this domain. GET /v1/runbooks lists them.";

export const runbookRoutes = createRouter()
  .openapi(putRoute, async (c) => {
    const { domain, source } = c.req.valid("param");
    const body = text(MAX_DOCUMENT_BYTES).safeParse(await c.req.text());
    if (!body.success) {
      const [issue] = body.error.issues;
      throw new Problem("invalid-request", "The text cannot be stored as it is.", {
        errors: [{ field: "body", message: issue?.message ?? "is not valid" }],
      });
    }
    const isMarkdown = mediaType(c.req.header("content-type")) === "text/markdown";
    const runbook = { domain, path: source, text: body.data, isMarkdown };
    const ingested = stored(await ingestRunbook(c.get("services"), runbook));
    return c.json(ingestedReply(ingested), ingested.created ? 201 : 200);
  })
  .openapi(listRoute, async (c) => {
    const { limit, cursor, domain } = c.req.valid("query");
    const page = { limit: limit + 1, kinds: KINDS, after: cursor, domain };
    const rows = await listSources(c.get("services").database, page);
    const { page: runbooks, next_cursor } = pageOf(rows, limit, (row) => [row.source]);
    return c.json({ runbooks, next_cursor }, 200);
  })
  .openapi(getRoute, async (c) => {
    const { domain, source } = c.req.valid("param");
    const id = sourceId(runbookSource(domain, source));
    const found = await getSource(c.get("services").database, id, KINDS);
    if (!found) throw new Problem("not-found", NO_SUCH_RUNBOOK);
    return c.json(found, 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { domain, source } = c.req.valid("param");
    const removed = await removeSource(c.get("services"), {
      id: sourceId(runbookSource(domain, source)),
      kinds: KINDS,
    });
    if (!removed) throw new Problem("not-found", NO_SUCH_RUNBOOK);
    return c.json(removed, 200);
  });
