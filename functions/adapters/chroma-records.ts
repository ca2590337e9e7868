// Records, filters and results in the form of Chroma. Pure functions.

import { createHash } from "node:crypto";
import { DependencyError } from "../dependencies.ts";
import {
  type DistanceQuery,
  type Filter,
  type FindQuery,
  type IndexedText,
  type Metadata,
  type MetadataValue,
  relevanceOfCosineDistance,
  type VectorHit,
  type VectorQuery,
  type VectorRecord,
} from "./vector-store.ts";

/** Chroma's filter on metadata. */
type Condition =
  | { readonly $and: Condition[] }
  | { readonly $or: Condition[] }
  | { readonly [field: string]: { readonly $in: MetadataValue[] } | { readonly $nin: MetadataValue[] } };

/** Chroma refuses a record without metadata; this placeholder is removed on reading. */
const NO_METADATA = { "dejavu:no_metadata": true };

/** A limit of Chroma Cloud. */
const MAX_ID_BYTES = 128;
/** Metadata field with the id of a record whose id is too long for Chroma. */
const OWN_ID = "dejavu:id";

/** The id in Chroma: a long id is replaced by its SHA-256. */
export function indexId(id: string): string {
  return Buffer.byteLength(id) <= MAX_ID_BYTES ? id : createHash("sha256").update(id).digest("hex");
}

export function ownId(id: string, metadata: unknown): string {
  const stored = isObject(metadata) ? metadata[OWN_ID] : undefined;
  return typeof stored === "string" ? stored : id;
}

function storedMetadata({ id, metadata }: VectorRecord): Metadata {
  const stored = indexId(id) === id ? metadata : { ...metadata, [OWN_ID]: id };
  return Object.keys(stored).length > 0 ? stored : NO_METADATA;
}

export function columns(records: readonly VectorRecord[]) {
  return {
    ids: records.map((record) => indexId(record.id)),
    embeddings: records.map((record) => [...record.vector]),
    documents: records.map((record) => record.text),
    metadatas: records.map((record) => ({ ...storedMetadata(record) })),
  };
}

export function conditions(query: FindQuery | VectorQuery | DistanceQuery) {
  return {
    ...("ids" in query && query.ids ? { ids: query.ids.map(indexId) } : {}),
    ...(query.filter ? { where: toWhere(query.filter) } : {}),
    ...("containing" in query && query.containing !== undefined
      ? { whereDocument: { $contains: query.containing } }
      : {}),
  };
}

function toWhere(filter: Filter): Condition {
  switch (filter.op) {
    case "equals":
      return oneOf(filter.field, [filter.value]);
    case "in":
      return oneOf(filter.field, filter.values);
    case "not_in":
      if (filter.values.length === 0)
        throw new DependencyError("vector_store", "refused", "an empty `not_in` filter excludes nothing");
      return { [filter.field]: { $nin: [...filter.values] } };
    case "and": {
      // Chroma refuses an $and of fewer than two conditions.
      const [only] = filter.filters;
      if (only === undefined)
        throw new DependencyError("vector_store", "refused", "an empty `and` filter matches nothing");
      return filter.filters.length === 1 ? toWhere(only) : { $and: filter.filters.map(toWhere) };
    }
  }
}

/** Chroma accepts lists of one type only; integers and fractions are different types. */
function oneOf(field: string, values: readonly MetadataValue[]): Condition {
  const fractions = values.filter((value) => typeof value === "number").filter((value) => !Number.isInteger(value));
  const wholeNumbersAndTexts = values.filter((value) => typeof value !== "number" || Number.isInteger(value));
  const [either, or] = [
    ...(wholeNumbersAndTexts.length > 0 ? [{ [field]: { $in: wholeNumbersAndTexts } }] : []),
    ...(fractions.length > 0 ? [oneOfFractions(field, fractions)] : []),
  ];
  if (either === undefined)
    throw new DependencyError("vector_store", "refused", "an empty `in` filter matches nothing");
  return or === undefined ? either : { $or: [either, or] };
}

/** Chroma truncates a fraction before comparing it with stored integers: 0.5 would match 0. */
function oneOfFractions(field: string, fractions: readonly number[]): Condition {
  return { $and: [{ [field]: { $in: [...fractions] } }, { [field]: { $nin: fractions.map(Math.trunc) } }] };
}

export function readTexts(
  ids: readonly string[] | undefined,
  documents: readonly (string | null)[] | undefined,
  metadatas: readonly unknown[] | undefined,
): IndexedText[] {
  if (!ids || documents?.length !== ids.length || metadatas?.length !== ids.length) {
    throw new DependencyError("vector_store", "invalid_response", "ids, documents and metadata differ in number");
  }
  return ids.map((id, i) => ({
    id: ownId(id, metadatas[i]),
    text: documents[i] ?? "",
    metadata: readMetadata(metadatas[i]),
  }));
}

export function readHits(
  ids: readonly string[] | undefined,
  documents: readonly (string | null)[] | undefined,
  metadatas: readonly unknown[] | undefined,
  distances: readonly (number | null)[] | undefined,
): VectorHit[] {
  return readTexts(ids, documents, metadatas).map((text, i) => {
    const distance = readDistance(distances?.[i]);
    return { ...text, distance, relevance: relevanceOfCosineDistance(distance) };
  });
}

export function readDistances(
  ids: readonly string[] | undefined,
  distances: readonly (number | null)[] | undefined,
): Map<string, number> {
  return new Map((ids ?? []).map((id, i) => [id, readDistance(distances?.[i])]));
}

function readDistance(distance: number | null | undefined): number {
  if (typeof distance !== "number")
    throw new DependencyError("vector_store", "invalid_response", "a hit has no distance");
  return distance;
}

/** Checked by hand: a triage reads 240 hits, and a schema takes ten times as long. */
export function readMetadata(value: unknown): Metadata {
  const stored = value ?? {};
  if (!isObject(stored)) throw notFlat();
  const metadata: Record<string, MetadataValue> = {};
  for (const [field, each] of Object.entries(stored)) {
    if (typeof each !== "string" && typeof each !== "number" && typeof each !== "boolean") throw notFlat();
    if (field !== OWN_ID && !Object.hasOwn(NO_METADATA, field)) metadata[field] = each;
  }
  return metadata;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notFlat(): DependencyError {
  return new DependencyError("vector_store", "invalid_response", "metadata is not flat");
}
