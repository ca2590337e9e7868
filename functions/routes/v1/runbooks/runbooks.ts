// Runbooks: store under a path, list, read, delete.

import { createRoute, z } from "@hono/zod-openapi";
import { personName } from "../../../access/caller.ts";
import { removeDeletedTexts } from "../../../investigation/learning/remove-deleted-texts.ts";
import { ingestedChecks, ingestRunbook, removeText, runbookName } from "../../../knowledge/ingest.ts";
import { editableText } from "../../../knowledge/rejoin-chunks.ts";
import { MAX_DOCUMENT_BYTES } from "../../../knowledge/runbook-text/check-runbook-text.ts";
import { hasNoSecrets, SECRET_IN_NAME, textId } from "../../../knowledge/text-documents.ts";
import {
  getText,
  listTexts,
  textDetailSchema,
  textEntrySchema,
  type WriteCondition,
} from "../../../knowledge/text-records.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { MAX_RUNBOOK_PATH, RUNBOOK_PATH, RUNBOOK_PATH_RULE } from "../../../schemas/runbook-path.ts";
import { filledText, mediaType, requireTextBody, text } from "../../http/input.ts";
import { pageOf, pageQuery } from "../../http/pagination.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { actorOf } from "../../middleware/audit.ts";
import { scoped } from "../../middleware/require-scope.ts";
import {
  ETAG_EXAMPLE,
  EXAMPLE_RUNBOOK,
  ingestedRunbookSchema,
  nameCursor,
  removedSchema,
  renderIngestedRunbook,
  requireStored,
  SECTIONS_EXAMPLE,
  USES_EXAMPLE,
} from "../text-schemas.ts";
import { storableText } from "./check-runbook.ts";

const TEXT_TYPES = ["text/markdown", "text/plain"] as const;
const KINDS = ["runbook"] as const;

export const runbookParams = z.object({
  domain: domainNameSchema.openapi({ example: "kubernetes" }),
  source: text(MAX_RUNBOOK_PATH)
    .refine((source) => RUNBOOK_PATH.test(source), RUNBOOK_PATH_RULE)
    .refine(hasNoSecrets, SECRET_IN_NAME)
    .openapi({
      description: "A path. Slashes may be plain or escaped as %2F.",
      example: "team/ingress.md",
    }),
});

const runbookDetailSchema = textDetailSchema.extend({
  markdown: z.string().openapi({
    description:
      "The whole text with its front matter: as it was stored, redacted. That of a runbook from a folder is joined from its sections.",
  }),
});

const etagHeader = z.object({
  etag: z.string().openapi({ description: "Identifies the stored text.", example: `"${ETAG_EXAMPLE}"` }),
});

const runbookText = z
  .string()
  .openapi({ example: "# Ingress answers 502\n\n## Mitigate\n\n1. Restart the controller." });

/** An ETag, or a star; as RFC 9110 writes them. */
const conditionHeaders = z.object({
  "if-match": z
    .string()
    .regex(/^"[0-9a-f]{32}"$/, "must be the ETag of the runbook, in quotation marks")
    .optional()
    .openapi({
      description: "The ETag of the version that was read. If the stored text is another one, nothing is stored.",
    }),
  "if-none-match": z
    .literal("*", "must be *")
    .optional()
    .openapi({ description: "`*` creates a runbook and replaces none." }),
});

const putRoute = createRoute({
  method: "put",
  path: "/v1/runbooks/{domain}/{source}",
  summary: "Create or replace a runbook",
  ...scoped("ingest", requireTextBody(TEXT_TYPES, MAX_DOCUMENT_BYTES)),
  request: {
    params: runbookParams,
    headers: conditionHeaders,
    body: {
      required: true,
      description: `At most ${MAX_DOCUMENT_BYTES} bytes of UTF-8. Front matter may set \`incident_type\` and \`tags\`.`,
      content: { "text/markdown": { schema: runbookText }, "text/plain": { schema: runbookText } },
    },
  },
  responses: {
    200: {
      ...jsonContent("The runbook was replaced; the same text changes nothing.", ingestedRunbookSchema),
      headers: etagHeader,
    },
    201: { ...jsonContent("The runbook was created.", ingestedRunbookSchema), headers: etagHeader },
    409: problemContent("A note, a log or a postmortem has this name."),
    412: problemContent("The stored text is not that of `If-Match`, or the name is stored; nothing was stored."),
  },
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/runbooks",
  summary: "List runbooks by name",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      ...pageQuery(nameCursor),
      domain: domainNameSchema.optional(),
      text: filledText(200).optional().openapi({ description: "Text in the name or the title; case does not count." }),
    }),
  },
  responses: {
    200: jsonContent(
      "A page of runbooks.",
      z.object({ runbooks: z.array(textEntrySchema), next_cursor: z.string().nullable() }),
      { runbooks: [EXAMPLE_RUNBOOK], next_cursor: null },
    ),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/runbooks/{domain}/{source}",
  summary: "Read a runbook",
  ...scoped("read"),
  request: { params: runbookParams },
  responses: {
    200: {
      description: "The runbook.",
      headers: etagHeader,
      content: {
        "application/json": {
          schema: runbookDetailSchema,
          example: { ...EXAMPLE_RUNBOOK, uses: USES_EXAMPLE, ...SECTIONS_EXAMPLE, markdown: SECTIONS_EXAMPLE.text },
        },
      },
    },
    404: problemContent("No runbook has this name."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/runbooks/{domain}/{source}",
  summary: "Delete a runbook; one from a folder returns when the folder is loaded again",
  ...scoped("ingest"),
  request: { params: runbookParams },
  responses: {
    200: jsonContent("Deleted. New answers do not use it.", removedSchema),
    404: problemContent("No runbook has this name."),
  },
});

export const NO_SUCH_RUNBOOK = "No runbook of this domain has this name. List runbooks with GET /v1/runbooks.";

export const runbookRoutes = createRouter()
  .openapi(putRoute, async (c) => {
    const { domain, source } = c.req.valid("param");
    const body = storableText(await c.req.text());
    const isMarkdown = mediaType(c.req.header("content-type")) === "text/markdown";
    const runbook = {
      domain,
      path: source,
      text: body,
      isMarkdown,
      condition: conditionOf(c.req.valid("header")),
      by: personName(c.get("caller")),
    };
    const ingested = requireStored(await ingestRunbook(c.get("services"), runbook));
    c.header("etag", `"${ingested.source.etag}"`);
    return c.json(renderIngestedRunbook(ingested, ingestedChecks(runbook.text)), ingested.created ? 201 : 200);
  })
  .openapi(listRoute, async (c) => {
    const { limit, cursor, domain, text: part } = c.req.valid("query");
    const page = { limit: limit + 1, kinds: KINDS, after: cursor, domain, text: part };
    const rows = await listTexts(c.get("services").database, page);
    const { page: runbooks, next_cursor } = pageOf(rows, limit, (row) => [row.source]);
    return c.json({ runbooks, next_cursor }, 200);
  })
  .openapi(getRoute, async (c) => {
    const { domain, source } = c.req.valid("param");
    const id = textId(runbookName(domain, source));
    const runbook = await getText(c.get("services").database, id, KINDS);
    if (!runbook) throw new Problem("not-found", NO_SUCH_RUNBOOK);
    c.header("etag", `"${runbook.etag}"`);
    return c.json({ ...runbook, markdown: editableText(runbook) }, 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { domain, source } = c.req.valid("param");
    const removed = await removeText(c.get("services"), {
      id: textId(runbookName(domain, source)),
      kinds: KINDS,
      by: actorOf(c),
    });
    if (!removed) throw new Problem("not-found", NO_SUCH_RUNBOOK);
    c.get("runInBackground")(removeDeletedTexts(c.get("services")));
    return c.json(removed, 200);
  });

function conditionOf(headers: z.infer<typeof conditionHeaders>): WriteCondition | undefined {
  const etag = headers["if-match"]?.slice(1, -1);
  if (etag !== undefined) return { etag };
  return headers["if-none-match"] === undefined ? undefined : "new";
}
