// Owns how runbooks, notes, logs and postmortems come in through the API: checked, routed to a domain, stored with their
// chunks, searchable when the answer leaves, or soon after where the index or the embedder is slow or away.

import type { DomainName } from "../schemas/domain.ts";
import type { DocumentType, SourceKind } from "../schemas/source-kind.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/services.ts";
import { routeDomain } from "./domains/route-domain.ts";
import { type SourceText, sourceDocuments } from "./source-documents.ts";
import { deleteSource, type RemovableSource, type SourceEntry, storeSource } from "./source-records.ts";

/** Of a text in UTF-8. */
export const MAX_DOCUMENT_BYTES = 524_288;
export const MAX_TAGS = 20;

export type Ingested =
  /** More than MAX_DOCUMENT_BYTES; nothing was done. */
  | { readonly state: "too_large"; readonly bytes: number }
  /** The text says nothing that could be searched. */
  | { readonly state: "empty" }
  /** A runbook has the name of this note, log or postmortem, or the other way round. */
  | { readonly state: "taken"; readonly kind: SourceKind }
  | {
      readonly state: "stored";
      readonly source: SourceEntry;
      /** Why it is in this domain. */
      readonly domainRule: string;
      readonly created: boolean;
      /** Chunks that are new or changed, that are as they were, and that the text has no more. */
      readonly upserted: number;
      readonly unchanged: number;
      readonly removed: number;
      /** Whether the index holds all of it by now; if not, it will. */
      readonly indexed: boolean;
    };

export interface NewDocument {
  readonly text: string;
  /** Names the document: the same name again replaces it. */
  readonly source: string;
  readonly docType: DocumentType;
  readonly tags: readonly string[];
  /** Told from the words where it is not given; a known document then stays where it is. */
  readonly domain?: DomainName | undefined;
}

/** Takes a note, a log or a postmortem. May be repeated: what is unchanged is not embedded again. @throws DependencyError */
export async function ingestDocument(
  services: IndexServices,
  { text, source, docType, tags, domain }: NewDocument,
): Promise<Ingested> {
  const bytes = byteLength(text);
  if (bytes > MAX_DOCUMENT_BYTES) return { state: "too_large", bytes };
  const [headline = ""] = text.trimStart().split("\n", 1);
  const route =
    domain === undefined
      ? routeDomain({}, `${source}\n${headline}`, text)
      : { name: domain, rule: "given by the caller" };
  const ingested = await ingest(
    services,
    { source, kind: docType, text, tags },
    { ...route, moves: domain !== undefined, bytes },
  );
  if (ingested.state !== "stored" || ingested.source.domain === route.name) return ingested;
  return { ...ingested, domainRule: "the document is known there" };
}

export interface NewRunbook {
  readonly domain: DomainName;
  /** A path without the domain, such as "team/ingress.md". */
  readonly path: string;
  readonly text: string;
  readonly isMarkdown: boolean;
}

/** Takes a runbook. May be repeated: what is unchanged is not embedded again. @throws DependencyError */
export async function ingestRunbook(
  services: IndexServices,
  { domain, path, text, isMarkdown }: NewRunbook,
): Promise<Ingested> {
  const bytes = byteLength(text);
  if (bytes > MAX_DOCUMENT_BYTES) return { state: "too_large", bytes };
  const source = runbookSource(domain, path);
  const route = { name: domain, rule: "given by the caller", moves: true, bytes };
  return ingest(services, { source, kind: "runbook", text, tags: [], isMarkdown }, route);
}

/** The name of a runbook on record, and in citations. */
export function runbookSource(domain: DomainName, path: string): string {
  return `${domain}/${path}`;
}

export type RemovedSource = { readonly indexed: boolean };

/** Removes a text and its chunks; null where there is no such text. @throws DependencyError */
export async function removeSource(services: IndexServices, source: RemovableSource): Promise<RemovedSource | null> {
  const change = { ...source, now: services.now(), claimUntil: claimUntil(services) };
  const owed = await deleteSource(services.background.database, change);
  return owed && { indexed: await flushOutbox(services, owed) };
}

async function ingest(
  services: IndexServices,
  text: SourceText,
  {
    name,
    rule,
    moves,
    bytes,
  }: { readonly name: DomainName; readonly rule: string; readonly moves: boolean; readonly bytes: number },
): Promise<Ingested> {
  const { config, background } = services;
  const now = services.now();
  const chunking = { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP };
  const chunks = sourceDocuments(text, { chunking, now });
  if (chunks.documents.length === 0) return { state: "empty" };
  const { source, kind } = text;
  const stored = await storeSource(
    background.database,
    { source, kind, domain: name, moves, bytes, ...chunks },
    { now, claimUntil: claimUntil(services) },
  );
  if (stored.state === "taken") return stored;
  const { owed, waiting, ...rest } = stored;
  const isWritten = await flushOutbox(services, owed);
  return { ...rest, domainRule: rule, indexed: isWritten && !waiting };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
