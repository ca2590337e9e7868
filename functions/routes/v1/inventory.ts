// Cluster inventory: load documents in batches, delete some, and delete those that a load did not name.

import { createRoute, z } from "@hono/zod-openapi";
import { deleteInventory, loadInventory, syncInventory } from "../../knowledge/inventory.ts";
import { CLUSTER_NAME, MAX_INVENTORY_DOCUMENTS, MAX_INVENTORY_ID_LENGTH } from "../../knowledge/inventory-documents.ts";
import { hasNoSecrets, SECRET_IN_NAME } from "../../knowledge/text-documents.ts";
import { INVENTORY_COLLECTIONS } from "../../search-index/collections.ts";
import { requireJsonBody, text } from "../http/input.ts";
import { Problem } from "../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const collectionParam = z.object({
  collection: z.enum(INVENTORY_COLLECTIONS).openapi({ example: "instances" }),
});

const syncId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, "must be 1 to 128 letters, digits, dots, colons, hyphens or underscores")
  .openapi({
    description: "Names one load of the whole collection. Ending the load deletes the documents that it did not name.",
  });

const cluster = z
  .string()
  .regex(CLUSTER_NAME, "must begin with a letter or digit and have 128 letters, digits or . _ : @ - at most")
  .refine(hasNoSecrets, SECRET_IN_NAME)
  .optional()
  .openapi({
    description:
      "Name of the cluster. Keeps its documents apart: they are stored as `cluster:<name>/<id>` with the metadata field `cluster`. Left out: documents of no named cluster.",
  });

const EXAMPLE_DOCUMENT = {
  id: "ingress/apps/v1/Deployment/ingress-nginx-controller",
  text: "nginx that terminates TLS for all hosts; 2 replicas.",
  metadata: {
    namespace: "ingress",
    name: "ingress-nginx-controller",
    kind: "Deployment",
    apiVersion: "apps/v1",
    apiGroup: "apps",
  },
};

/** Each document is validated on its own after this schema, so that one invalid document does not reject the batch. */
const anyDocument = z.unknown().openapi({
  type: "object",
  description:
    "`id`, `text` (at most 16,000 bytes) and flat `metadata` with `kind`, `apiVersion`, `apiGroup`. In `capabilities` the id is `group/version/kind`, and `scope` (Namespaced or Cluster), `isCRD` and `complexity` are optional; in `instances` it is `namespace/group/version/kind/name`, with `name` and optionally `namespace`. At most 24 fields, with names of at most 36 characters.",
  example: EXAMPLE_DOCUMENT,
});

const indexed = z.boolean().openapi({
  description: "`false` while the vector index lacks some changes; semantic search catches up within minutes.",
});

const putRoute = createRoute({
  method: "put",
  path: "/v1/inventory/{collection}/documents",
  summary: "Load documents of the cluster inventory",
  ...scoped("ingest", requireJsonBody),
  request: {
    params: collectionParam,
    body: bodyContent(
      z
        .strictObject({
          documents: z.array(anyDocument).min(1).max(MAX_INVENTORY_DOCUMENTS),
          sync_id: syncId.optional(),
          cluster,
        })
        .openapi({ example: { documents: [EXAMPLE_DOCUMENT], sync_id: "nightly-2026-11-22" } }),
    ),
  },
  responses: {
    200: jsonContent(
      "The result of the batch. Invalid documents are in `errors`; all others are stored.",
      z
        .object({
          upserted: z.number().int(),
          unchanged: z.number().int(),
          errors: z.array(
            z.object({
              index: z.number().int().openapi({ description: "Position in the batch, from 0." }),
              id: z.string().nullable(),
              errors: z.array(z.object({ field: z.string(), message: z.string() })),
            }),
          ),
          indexed,
        })
        .openapi({ example: { upserted: 1, unchanged: 0, errors: [], indexed: true } }),
    ),
    409: problemContent("The sync has ended."),
  },
});

const deleteRoute = createRoute({
  method: "delete",
  path: "/v1/inventory/{collection}/documents",
  summary: "Delete documents of the cluster inventory",
  ...scoped("ingest", requireJsonBody),
  request: {
    params: collectionParam,
    body: bodyContent(
      z
        .strictObject({
          ids: z
            .array(text(MAX_INVENTORY_ID_LENGTH).min(1))
            .min(1)
            .max(MAX_INVENTORY_DOCUMENTS)
            .optional()
            .openapi({ description: "Ids as they were loaded. Left out: all documents of the cluster." }),
          cluster,
        })
        .refine((selection) => selection.ids !== undefined || selection.cluster !== undefined, {
          path: ["ids"],
          message: "is needed, unless there is a cluster, whose documents are all deleted then",
        })
        .openapi({ example: { ids: [EXAMPLE_DOCUMENT.id] } }),
    ),
  },
  responses: {
    200: jsonContent(
      "The result of the deletion.",
      z
        .object({
          deleted: z.number().int(),
          unknown: z.array(z.string()).openapi({ description: "Ids that no document had." }),
          indexed,
        })
        .openapi({ example: { deleted: 1, unknown: [], indexed: true } }),
    ),
  },
});

const syncRoute = createRoute({
  method: "post",
  path: "/v1/inventory/{collection}/sync",
  summary: "End a load, and delete what it did not name",
  ...scoped("ingest", requireJsonBody),
  request: {
    params: collectionParam,
    body: bodyContent(
      z.strictObject({ sync_id: syncId, cluster }).openapi({ example: { sync_id: "nightly-2026-11-22" } }),
    ),
  },
  responses: {
    200: jsonContent(
      "The result of the whole load; a repeated request returns the same.",
      z
        .object({
          upserted: z.number().int(),
          unchanged: z.number().int(),
          deleted: z.number().int(),
          indexed,
        })
        .openapi({ example: { upserted: 12, unchanged: 480, deleted: 3, indexed: true } }),
    ),
    404: problemContent("No load has this `sync_id`; nothing was deleted."),
  },
});

export const inventoryRoutes = createRouter()
  .openapi(putRoute, async (c) => {
    const { documents, sync_id, cluster } = c.req.valid("json");
    const { collection } = c.req.valid("param");
    const loaded = await loadInventory(c.get("services"), collection, { documents, syncId: sync_id, cluster });
    if (loaded.state === "sync_ended")
      throw new Problem("sync-ended", "The sync with this sync_id has ended. Start a new load with a new sync_id.");
    const { upserted, unchanged, indexed: isIndexed } = loaded;
    const errors = loaded.errors.map((each) => ({ ...each, errors: [...each.errors] }));
    return c.json({ upserted, unchanged, errors, indexed: isIndexed }, 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { collection } = c.req.valid("param");
    const { ids, cluster = "" } = c.req.valid("json");
    const selection = ids === undefined ? { cluster } : { ids, cluster: c.req.valid("json").cluster };
    const removed = await deleteInventory(c.get("services"), collection, selection);
    return c.json({ ...removed, unknown: [...removed.unknown] }, 200);
  })
  .openapi(syncRoute, async (c) => {
    const { collection } = c.req.valid("param");
    const { sync_id: id, cluster } = c.req.valid("json");
    const synced = await syncInventory(c.get("services"), collection, { syncId: id, cluster });
    if (!synced)
      throw new Problem(
        "not-found",
        "No document of this collection was loaded with this sync_id, so nothing was deleted. PUT the documents with it first.",
      );
    return c.json(synced, 200);
  });
