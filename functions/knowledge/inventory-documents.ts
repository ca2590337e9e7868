// Documents of the cluster inventory: each is validated and scrubbed by itself, so an invalid one does not affect the
// others.

import { z } from "zod";
import { neutraliseInjections } from "../../lib/injection/detect-injection.ts";
import { type Redact, redact } from "../../lib/redaction/redact.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { bytesOf } from "../../lib/text/text-weight.ts";
import { type Metadata, STORE_LIMITS } from "../adapters/vector-store.ts";
import { storable } from "../schemas/storable.ts";
import type { InventoryCollection } from "../search-index/collections.ts";
import { type SearchDocument, storedText } from "../search-index/search-document.ts";
import { FIELD_NAME, FIELD_NAME_RULE, MAX_METADATA_LENGTH } from "../search-index/search-filter.ts";
import { hasNoSecrets, SECRET_IN_NAME } from "./text-documents.ts";

export const MAX_INVENTORY_DOCUMENTS = 500;
export const MAX_INVENTORY_ID_LENGTH = 512;
/** Bytes of UTF-8; the index puts the id before the text. */
const MAX_TEXT_BYTES = 16_000;
/** The index adds fields of its own. */
const MAX_FIELDS = 24;
/** Names of clusters, contexts and ARNs without their path. */
export const CLUSTER_NAME = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;
/** Limits of an error report. */
const MAX_ERRORS = 5;
const MAX_SHOWN_LENGTH = 200;

/** Field names that the index uses itself. */
const RESERVED = new Set(["source", "chunk_index", "document_title", "heading_path", "written_at"]);

const name = storable(MAX_METADATA_LENGTH).min(1);
const resource = {
  kind: name,
  apiVersion: name,
  /** Empty for the core group. */
  apiGroup: storable(MAX_METADATA_LENGTH),
};
const extra = z.union([storable(MAX_METADATA_LENGTH), z.number(), z.boolean()], {
  error: "must be text, a number, true or false",
});

const METADATA = {
  capabilities: z
    .object({
      ...resource,
      scope: z.enum(["Namespaced", "Cluster"]).optional(),
      isCRD: z.boolean().optional(),
      complexity: name.optional(),
    })
    .catchall(extra),
  instances: z
    // Cluster-wide resources have an empty namespace, or the loader's own name for it.
    .object({ ...resource, name, namespace: storable(MAX_METADATA_LENGTH).optional() })
    .catchall(extra),
} as const;

/** The core group may be omitted, as in a manifest. */
const IDS: Readonly<Record<InventoryCollection, { readonly form: string; readonly pattern: RegExp }>> = {
  capabilities: { form: "group/version/kind", pattern: /^(?:[^/]*\/)?[^/]+\/[^/]+$/ },
  instances: { form: "namespace/group/version/kind/name", pattern: /^[^/]*\/(?:[^/]*\/)?[^/]+\/[^/]+\/[^/]+$/ },
};

function idSchema(collection: InventoryCollection) {
  const { form, pattern } = IDS[collection];
  return storable(MAX_INVENTORY_ID_LENGTH).regex(pattern, `must be "${form}"`).refine(hasNoSecrets, SECRET_IN_NAME);
}

function documentSchema(collection: InventoryCollection) {
  return z.strictObject({
    id: idSchema(collection),
    text: storable(MAX_TEXT_BYTES)
      .refine((text) => text.trim() !== "", "must not be empty")
      .refine((text) => bytesOf(text) <= MAX_TEXT_BYTES, `must have at most ${MAX_TEXT_BYTES} bytes of UTF-8`),
    metadata: METADATA[collection].superRefine((metadata, context) => {
      const names = Object.keys(metadata);
      if (names.length > MAX_FIELDS)
        context.addIssue({ code: "custom", message: `must have at most ${MAX_FIELDS} fields` });
      for (const each of names) {
        const fault = RESERVED.has(each)
          ? "is a name that the index uses itself: choose another"
          : FIELD_NAME.test(each)
            ? null
            : FIELD_NAME_RULE;
        if (fault !== null) context.addIssue({ code: "custom", path: [each], message: fault });
      }
    }),
  });
}

/** The id of a document of a cluster: no namespace and no group contains a colon. */
export function idInCluster(id: string, cluster: string | undefined): string {
  return cluster === undefined ? id : `cluster:${cluster}/${id}`;
}

export interface RejectedDocument {
  /** Its position in the batch, from 0. */
  readonly index: number;
  /** Null when it has no readable id. */
  readonly id: string | null;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

export interface InventoryBatch {
  readonly documents: readonly SearchDocument[];
  readonly rejected: readonly RejectedDocument[];
}

/**
 * Validates a batch. The first of two documents with the same id counts.
 * @param cluster becomes a part of the ids and of the metadata
 */
export function readInventoryDocuments(
  collection: InventoryCollection,
  items: readonly unknown[],
  { redact, now, cluster }: { readonly redact: Redact; readonly now: Date; readonly cluster: string | undefined },
): InventoryBatch {
  const scrub = (text: string) => redact(neutraliseInjections(plainText(text)).text).text;
  const schema = documentSchema(collection);
  const ids = z.object({ id: idSchema(collection) });
  const documents = new Map<string, SearchDocument>();
  const rejected: RejectedDocument[] = [];
  items.forEach((each, index) => {
    const parsed = schema.safeParse(each);
    if (!parsed.success) {
      const readable = ids.safeParse(each);
      rejected.push({ index, id: readable.success ? readable.data.id : null, errors: errorsOf(parsed.error) });
      return;
    }
    const { id, text } = parsed.data;
    const fault = clusterFault(parsed.data, cluster);
    if (fault !== undefined) {
      rejected.push({ index, id, errors: [fault] });
      return;
    }
    const metadata = cluster === undefined ? parsed.data.metadata : { ...parsed.data.metadata, cluster };
    if (documents.has(id)) {
      rejected.push({ index, id, errors: [{ field: "id", message: "is in this batch already" }] });
      return;
    }
    const storedId = idInCluster(id, cluster);
    const content = { title: storedId, body: scrub(text), metadata: scrubMetadata(scrub, metadata) };
    const document = { id: storedId, source: null, chunkIndex: null, headingPath: [], writtenAt: now, ...content };
    if (bytesOf(storedText(document)) > STORE_LIMITS.textBytes) {
      const message = `must have at most ${STORE_LIMITS.textBytes} bytes of UTF-8 together with the id, and with marks in the place of secrets`;
      rejected.push({ index, id, errors: [{ field: "text", message }] });
      return;
    }
    documents.set(id, document);
  });
  return { documents: [...documents.values()], rejected };
}

function clusterFault(
  { id, metadata }: { readonly id: string; readonly metadata: Readonly<Record<string, unknown>> },
  cluster: string | undefined,
): { field: string; message: string } | undefined {
  if (cluster === undefined) {
    if (!id.startsWith("cluster:")) return undefined;
    return {
      field: "id",
      message: 'must not begin with "cluster:": name the cluster in the field "cluster" of the request',
    };
  }
  if (metadata.cluster !== undefined && metadata.cluster !== cluster)
    return { field: "metadata.cluster", message: "must be the cluster of the request, or be left out" };
  if (idInCluster(id, cluster).length > MAX_INVENTORY_ID_LENGTH)
    return {
      field: "id",
      message: `must have at most ${MAX_INVENTORY_ID_LENGTH} characters together with the cluster`,
    };
  return undefined;
}

function errorsOf(error: z.ZodError): { field: string; message: string }[] {
  const all = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "is not a known field" }))
      : [{ field: issue.path.join(".") || "document", message: issue.message }],
  );
  return all.slice(0, MAX_ERRORS).map(({ field, message }) => ({
    // A field name is input and may contain anything.
    field: redact(field).text.slice(0, MAX_SHOWN_LENGTH).toWellFormed(),
    message: message.slice(0, MAX_SHOWN_LENGTH),
  }));
}

/** Checks each value together with its name: "hunter2" alone is a word, and as db_password it is a secret. */
function scrubMetadata(
  scrub: (text: string) => string,
  metadata: Readonly<Record<string, string | number | boolean | undefined>>,
): Metadata {
  const fields: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== "string") {
      if (value !== undefined) fields[key] = value;
      continue;
    }
    const pair = scrub(`${key}=${value}`);
    fields[key] = pair.startsWith(`${key}=`) ? pair.slice(key.length + 1) : scrub(value);
  }
  return fields;
}
