// Searchable documents: their text in both indexes, content hash, database row and vector store record.

import { createHash } from "node:crypto";
import { z } from "zod";
import { withoutChecks } from "../../lib/markdown/check-blocks.ts";
import { chunkText } from "../../lib/markdown/chunk-markdown.ts";
import { countTerms, tokenize } from "../../lib/text/tokenize.ts";
import type { Metadata } from "../adapters/vector-store.ts";
import { GENERAL_DOMAIN } from "../schemas/domain.ts";

export interface SearchDocument {
  readonly id: string;
  /** Name of the text that the chunk was cut from, such as a runbook path; null for a document without one. */
  readonly source: string | null;
  /** Index of the chunk in the file, from 0. */
  readonly chunkIndex: number | null;
  readonly title: string;
  /** Headings above the text, outermost first, without the title. */
  readonly headingPath: readonly string[];
  readonly body: string;
  readonly metadata: Metadata;
  readonly writtenAt: Date;
}

const metadataSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

/** Row of a document as the searches and the outbox return it. */
export const documentRowSchema = z.object({
  id: z.string(),
  source: z.string().nullable(),
  chunk_index: z.number().int().nullable(),
  title: z.string(),
  heading_path: z.array(z.string()),
  body: z.string(),
  metadata: metadataSchema,
  written_at: z.string(),
  content_hash: z.string(),
});

export function documentFromRow(row: Omit<z.infer<typeof documentRowSchema>, "content_hash">): SearchDocument {
  return {
    id: row.id,
    source: row.source,
    chunkIndex: row.chunk_index,
    title: row.title,
    headingPath: row.heading_path,
    body: row.body,
    metadata: row.metadata,
    writtenAt: new Date(row.written_at),
  };
}

/**
 * What a document is a part of: its topic if its text has several, else its text. `key` is unique in a collection; `title` is null
 * for a whole text; `isOverview`: what stands above the topics of a text.
 */
export interface DocumentTopic {
  readonly key: string;
  readonly title: string | null;
  readonly isOverview: boolean;
}

export function topicOf({ id, source, metadata }: Pick<SearchDocument, "id" | "source" | "metadata">): DocumentTopic {
  const text = source ?? id;
  const { topic, topic_title: title } = metadata;
  if (typeof topic !== "string") return { key: text, title: null, isOverview: false };
  return { key: `${text}#${topic}`, title: typeof title === "string" ? title : null, isOverview: topic === "" };
}

/** The domain that a document belongs to; `general` for a document without one. */
export function domainOf({ metadata }: Pick<SearchDocument, "metadata">): string {
  return typeof metadata.domain === "string" ? metadata.domain : GENERAL_DOMAIN;
}

const TITLE_SEPARATOR = " › ";

/** Returns the text that is embedded, tokenised and reranked. */
export function documentText(document: SearchDocument): string {
  return chunkText({ ...document, body: searchedBody(document) });
}

/** Returns the text that the vector store keeps: with its checks, so that a document can be rebuilt from it. */
export function storedText(document: SearchDocument): string {
  return chunkText(document);
}

/** Returns the body by which a document is found. The checks of a runbook do not change what it is found by. */
export function searchedBody({ body, metadata }: Pick<SearchDocument, "body" | "metadata">): string {
  return metadata.kind === "runbook" ? withoutChecks(body) : body;
}

/** Returns the row for `upsert_documents`, with the content hash and the terms of the keyword index. */
export function documentRow(document: SearchDocument, { isKeywordSearched = true } = {}) {
  return {
    id: document.id,
    source: document.source,
    chunk_index: document.chunkIndex,
    title: document.title,
    heading_path: [...document.headingPath],
    body: document.body,
    metadata: { ...document.metadata },
    written_at: document.writtenAt.toISOString(),
    content_hash: contentHash(document),
    terms: isKeywordSearched ? countTerms(tokenize(keywordText(document))) : {},
  };
}

/** Returns the text of the keyword index: the document's text, and the facts and search words in its metadata. */
export function keywordText(document: SearchDocument): string {
  const { facts, search_words } = document.metadata;
  return [documentText(document), facts, search_words].filter((part) => typeof part === "string").join("\n");
}

/**
 * Returns `{sha256 of the searched text}.{sha256 of the metadata, and of the checks}`. An equal hash means that the indexes
 * are up to date. An equal first half means that the vector is.
 */
export function contentHash(document: SearchDocument): string {
  const { title, headingPath, body, metadata } = document;
  const searched = searchedBody(document);
  const fields = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const others = JSON.stringify(fields) + (searched === body ? "" : JSON.stringify(body));
  return `${sha256(JSON.stringify([title, headingPath, searched]))}.${sha256(others)}`;
}

/** Returns the half of a content hash that covers the text, and so the vector. */
export function textHash(contentHash: string): string {
  return contentHash.split(".", 1)[0] ?? "";
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the metadata for the vector store: the document's own, and the fields to rebuild it without Postgres. */
export function indexMetadata(document: SearchDocument): Metadata {
  return {
    ...document.metadata,
    ...(document.source !== null ? { source: document.source } : {}),
    ...(document.chunkIndex !== null ? { chunk_index: document.chunkIndex } : {}),
    document_title: document.title,
    heading_path: JSON.stringify(document.headingPath),
    written_at: document.writtenAt.toISOString(),
  };
}

// Created once: creating a schema takes longer than parsing a hit with it.
const headingPathSchema = z.array(z.string()).catch([]);

/** Rebuilds a document from the vector store's copy. */
export function documentFromIndex(stored: { id: string; text: string; metadata: Metadata }): SearchDocument {
  const { source, chunk_index, document_title, heading_path, written_at, ...metadata } = stored.metadata;
  const title = String(document_title ?? "");
  const headingPath = headingPathSchema.parse(parseJson(heading_path));
  const heading = [title, ...headingPath].join(TITLE_SEPARATOR);
  const head = `${heading}\n\n`;
  return {
    id: stored.id,
    source: typeof source === "string" ? source : null,
    chunkIndex: typeof chunk_index === "number" ? chunk_index : null,
    title,
    headingPath,
    body: stored.text === heading ? "" : stored.text.startsWith(head) ? stored.text.slice(head.length) : stored.text,
    metadata,
    writtenAt: readTime(written_at),
  };
}

/** Returns the epoch for an unreadable time, so that the document ranks as the oldest. */
function readTime(value: unknown): Date {
  const time = new Date(typeof value === "string" ? value : 0);
  return Number.isNaN(time.getTime()) ? new Date(0) : time;
}

function parseJson(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : undefined;
  } catch {
    return undefined;
  }
}
