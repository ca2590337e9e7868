// Loads the runbooks that ship with Dejavu: a deployment sends them, since the Worker has no files.

import { createRoute, z } from "@hono/zod-openapi";
import { domainDefinitionSchema } from "../../../knowledge/domains/domain-definition.ts";
import { loadFolder } from "../../../knowledge/load-folder.ts";
import { MAX_DOCUMENT_BYTES } from "../../../knowledge/runbook-text/check-runbook-text.ts";
import { TooManyChunks } from "../../../knowledge/sync-runbooks.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { MAX_RUNBOOK_PATH, RUNBOOK_PATH, RUNBOOK_PATH_RULE } from "../../../schemas/runbook-path.ts";
import { filledText, requireJsonBody, text } from "../../http/input.ts";
import { outsideDomains, Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { scoped } from "../../middleware/require-scope.ts";

const MAX_RUNBOOKS = 100;
const MAX_TAGS = 32;

const runbookSchema = z.strictObject({
  path: text(MAX_RUNBOOK_PATH).refine((path) => RUNBOOK_PATH.test(path), RUNBOOK_PATH_RULE),
  markdown: filledText(MAX_DOCUMENT_BYTES).describe("The text without its front matter."),
  incident_type: filledText(64).optional(),
  tags: z.array(filledText(64)).max(MAX_TAGS).default([]),
});

const requestSchema = z
  .strictObject({
    domain: domainNameSchema,
    definition: domainDefinitionSchema.optional(),
    runbooks: z.array(runbookSchema).max(MAX_RUNBOOKS),
  })
  .openapi({
    example: {
      domain: "docker",
      runbooks: [{ path: "disk-full.md", markdown: "# Disk full\n\nNo space is left.", tags: ["disk"] }],
    },
  });

const loadedSchema = z
  .object({
    embedded: z.number().int().describe("Number of new or changed chunks."),
    moved: z.number().int().describe("Number of chunks with another position or other metadata."),
    unchanged: z.number().int(),
    removed: z.number().int().describe("Number of deleted chunks."),
    kept: z.array(z.string()).describe("Names that the API or a folder of yours holds: those texts stay."),
    definition_kept: z.boolean().describe("Whether the stored definition stays, for the same reason."),
  })
  .openapi({
    example: { embedded: 1, moved: 0, unchanged: 0, removed: 0, kept: [], definition_kept: false },
  });

const loadRoute = createRoute({
  method: "post",
  path: "/v1/admin/built-in-runbooks",
  summary: "Load the built-in runbooks of a domain",
  description: "`npm run deploy` calls it. Runbooks of your own belong to `PUT /v1/runbooks/{domain}/{source}`.",
  ...scoped("admin", requireJsonBody),
  request: {
    body: bodyContent(requestSchema),
  },
  responses: {
    200: jsonContent("Loaded.", loadedSchema),
    409: problemContent("Another domain claims a label of the definition; nothing was stored."),
    503: problemContent("A store is unavailable; repeat the request, which continues."),
  },
});

export const builtInRunbookRoutes = createRouter().openapi(loadRoute, async (c) => {
  const services = c.get("services");
  if (services.restriction !== null)
    throw outsideDomains(services.restriction.domains, "The built-in runbooks are for all.");
  const { domain, definition = null, runbooks } = c.req.valid("json");
  const texts = runbooks.map(({ path, markdown, incident_type, tags }) => ({
    source: `${domain}/${path}`,
    markdown,
    metadata: {
      ...(incident_type === undefined ? {} : { incident_type }),
      ...(tags.length > 0 ? { tags: tags.join(",") } : {}),
    },
  }));
  const folder = { origin: "built_in", domains: [{ name: domain, definition, runbooks: texts }] } as const;
  const result = await loadFolder(services, folder).catch(refuseTooManyChunks);
  if (result.state === "conflict")
    throw new Problem("label-conflict", "Another domain claims labels of this definition. Nothing was stored.", {
      errors: result.conflicts.map(({ path, message }) => ({ field: ["definition", ...path].join("."), message })),
    });
  const { embedded, moved, unchanged, removed, skipped = [], keptDomains = [] } = result.report;
  const kept = skipped.map(({ source }) => source);
  return c.json({ embedded, moved, unchanged, removed, kept, definition_kept: keptDomains.length > 0 }, 200);
});

function refuseTooManyChunks(error: unknown): never {
  if (!(error instanceof TooManyChunks)) throw error;
  throw new Problem("invalid-request", error.message, {
    errors: [{ field: "runbooks", message: error.message }],
  });
}
