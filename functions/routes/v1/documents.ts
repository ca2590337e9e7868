// Endpoints for notes, logs and postmortems: store, list, read, delete.

import { createRoute, z } from "@hono/zod-openapi";
import { removeDeletedTexts } from "../../investigation/learning/remove-deleted-texts.ts";
import { ingestDocument, MAX_TAGS, removeText } from "../../knowledge/ingest.ts";
import { MAX_DOCUMENT_BYTES } from "../../knowledge/runbook-text/check-runbook-text.ts";
import { hasNoSecrets, SECRET_IN_NAME } from "../../knowledge/text-documents.ts";
import { getText, listTexts, textDetailSchema, textEntrySchema } from "../../knowledge/text-records.ts";
import { domainNameSchema } from "../../schemas/domain.ts";
import { DOCUMENT_TYPES } from "../../schemas/text-kind.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { pageOf, pageQuery } from "../http/pagination.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { actorOf } from "../middleware/audit.ts";
import { scoped } from "../middleware/require-scope.ts";
import {
  EXAMPLE_DOCUMENT,
  ingestedSchema,
  nameCursor,
  removedSchema,
  renderIngested,
  requireStored,
  SECTIONS_EXAMPLE,
} from "./text-schemas.ts";

export const documentRequestSchema = z
  .strictObject({
    // `ingestDocument` checks the limit in bytes. This looser one counts characters, so that most texts that are too large
    // get 413 with their size, not 422.
    text: filledText(10 * MAX_DOCUMENT_BYTES).openapi({
      maxLength: MAX_DOCUMENT_BYTES,
      description: `At most ${MAX_DOCUMENT_BYTES} bytes of UTF-8. Markdown is split at its headings, plain text at paragraphs, a log at lines.`,
    }),
    // A name is stored unredacted, because a redacted name could match another document. It must not hold secrets.
    source: filledText(256).refine(hasNoSecrets, SECRET_IN_NAME).openapi({
      description: "A permanent name, such as a path or a URL. A document with the same name is replaced.",
    }),
    doc_type: z.enum(DOCUMENT_TYPES),
    tags: z
      .array(filledText(64).refine((tag) => !tag.includes(","), "must not contain a comma"))
      .max(MAX_TAGS)
      .default([]),
    date: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })], "must be a date such as 2026-03-01, or a time")
      .optional()
      .openapi({ description: "When it was written: its age counts from here. By default, the time of the request." }),
    domain: domainNameSchema.optional().openapi({
      description: "If omitted, determined from the words for a new document; a stored document keeps its domain.",
    }),
  })
  .openapi({
    example: {
      text: "# orders-db refused connections\n\n## Root cause\n\nThe pool was larger than max_connections.",
      source: EXAMPLE_DOCUMENT.source,
      doc_type: "postmortem",
      tags: ["orders", "pgbouncer"],
    },
  });

const idParam = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{16}$/, "must be the 16 hexadecimal digits of a document's `id`")
    .openapi({ example: EXAMPLE_DOCUMENT.id }),
});

const postRoute = createRoute({
  method: "post",
  path: "/v1/documents",
  summary: "Store a note, a log or a postmortem",
  ...scoped("ingest", requireJsonBody),
  request: { body: bodyContent(documentRequestSchema) },
  responses: {
    200: jsonContent("The document was replaced; the same text changes nothing.", ingestedSchema),
    201: jsonContent("The document was created.", ingestedSchema),
    409: problemContent("A runbook has this name."),
  },
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/documents",
  summary: "List notes, logs and postmortems by name",
  ...scoped("read"),
  request: {
    query: z.strictObject({
      ...pageQuery(nameCursor),
      domain: domainNameSchema.optional(),
      doc_type: z.enum(DOCUMENT_TYPES).optional(),
    }),
  },
  responses: {
    200: jsonContent(
      "A page of documents.",
      z.object({ documents: z.array(textEntrySchema), next_cursor: z.string().nullable() }),
      { documents: [EXAMPLE_DOCUMENT], next_cursor: null },
    ),
  },
});

const getRoute = createRoute({
  method: "get",
  path: "/v1/documents/{id}",
  summary: "Read a note, a log or a postmortem",
  ...scoped("read"),
  request: { params: idParam },
  responses: {
    200: jsonContent("The document.", textDetailSchema, { ...EXAMPLE_DOCUMENT, ...SECTIONS_EXAMPLE }),
    404: problemContent("No document has this id."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/documents/{id}",
  summary: "Delete a note, a log or a postmortem",
  ...scoped("ingest"),
  request: { params: idParam },
  responses: {
    200: jsonContent("Deleted. New answers do not use it.", removedSchema),
    404: problemContent("No document has this id."),
  },
});

const NO_SUCH_DOCUMENT = "No document has this id. List documents with GET /v1/documents.";

export const documentRoutes = createRouter()
  .openapi(postRoute, async (c) => {
    const { doc_type, ...rest } = c.req.valid("json");
    const ingested = requireStored(await ingestDocument(c.get("services"), { ...rest, docType: doc_type }));
    return c.json(renderIngested(ingested), ingested.created ? 201 : 200);
  })
  .openapi(listRoute, async (c) => {
    const { limit, cursor, domain, doc_type } = c.req.valid("query");
    const kinds = doc_type === undefined ? DOCUMENT_TYPES : [doc_type];
    const rows = await listTexts(c.get("services").database, { limit: limit + 1, kinds, after: cursor, domain });
    const { page: documents, next_cursor } = pageOf(rows, limit, (row) => [row.source]);
    return c.json({ documents, next_cursor }, 200);
  })
  .openapi(getRoute, async (c) => {
    const document = await getText(c.get("services").database, c.req.valid("param").id, DOCUMENT_TYPES);
    if (!document) throw new Problem("not-found", NO_SUCH_DOCUMENT);
    return c.json(document, 200);
  })
  .openapi(deleteRoute, async (c) => {
    const services = c.get("services");
    const document = { id: c.req.valid("param").id, kinds: DOCUMENT_TYPES, by: actorOf(c) };
    const removed = await removeText(services, document);
    if (!removed) throw new Problem("not-found", NO_SUCH_DOCUMENT);
    c.get("runInBackground")(removeDeletedTexts(services));
    return c.json(removed, 200);
  });
