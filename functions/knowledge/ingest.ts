// Ingests runbooks, notes, logs and postmortems from the API: checked, routed to a domain and stored with their chunks.
// They are searchable when the response is sent, or soon after while the index or the embedder is slow or unavailable.

import { type CheckProblem, parseChecks } from "../../lib/checks/parse-checks.ts";
import type { DocumentType, TextKind } from "../schemas/text-kind.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/search-services.ts";
import { domainCatalog, type KnowledgeServices } from "./domain-store.ts";
import { routeDomain } from "./domains/route-domain.ts";
import { MAX_DOCUMENT_BYTES } from "./runbook-text/check-runbook-text.ts";
import { MAX_CHUNKS, type NamedText, textDocuments } from "./text-documents.ts";
import { deleteText, type RemovableText, storeText, type TextEntry, type WriteCondition } from "./text-records.ts";

export const MAX_TAGS = 20;

export type Ingested =
  /** More than MAX_DOCUMENT_BYTES; nothing is stored. */
  | { readonly state: "too_large"; readonly bytes: number }
  /** More than MAX_CHUNKS; nothing is stored. */
  | { readonly state: "too_many_chunks"; readonly chunks: number }
  /** The condition does not hold: the stored text is another one, or the name is stored. Nothing is stored. */
  | { readonly state: "changed" | "exists" }
  /** The text has nothing to search for. */
  | { readonly state: "empty" }
  /** A runbook has the name of this note, log or postmortem, or the other way round. */
  | { readonly state: "taken"; readonly kind: TextKind }
  | {
      readonly state: "stored";
      readonly source: TextEntry & { readonly etag: string };
      /** The reason for the domain. */
      readonly domainRule: string;
      readonly created: boolean;
      /** Numbers of new or changed chunks, of unchanged ones, and of those that were removed. */
      readonly upserted: number;
      readonly unchanged: number;
      readonly removed: number;
      /** Whether the index has all of it; otherwise the outbox completes it. */
      readonly indexed: boolean;
    };

export interface NewDocument {
  readonly text: string;
  /** The document's name: ingesting the name again replaces it. */
  readonly source: string;
  readonly docType: DocumentType;
  readonly tags: readonly string[];
  /** Date or time when it was written, ISO 8601; now by default. */
  readonly date?: string | undefined;
  /** Determined from the words by default; a stored document keeps its domain then. */
  readonly domain?: string | undefined;
}

/**
 * Ingests a note, a log or a postmortem. May be repeated: unchanged chunks are not embedded again. @throws
 * DependencyError
 */
export async function ingestDocument(
  services: KnowledgeServices,
  { text, source, docType, tags, date, domain }: NewDocument,
): Promise<Ingested> {
  const bytes = byteLength(text);
  if (bytes > MAX_DOCUMENT_BYTES) return { state: "too_large", bytes };
  const [headline = ""] = text.trimStart().split("\n", 1);
  const route =
    domain === undefined
      ? routeDomain(await domainCatalog(services), { labels: {}, headline: `${source}\n${headline}`, details: text })
      : { name: domain, rule: GIVEN_BY_CALLER };
  const document = { source, kind: docType, text, tags, date, domain: route.name };
  return ingest(services, document, { rule: route.rule, moves: domain !== undefined, bytes });
}

const GIVEN_BY_CALLER = "given by the caller";

export interface NewRunbook {
  readonly domain: string;
  /** A path without the domain, such as "team/ingress.md". */
  readonly path: string;
  readonly text: string;
  readonly isMarkdown: boolean;
  /** What has to be true of the stored text; by default, anything. */
  readonly condition?: WriteCondition | undefined;
  /** Name of the caller, kept with the version. */
  readonly by?: string | undefined;
}

/** The checks of a stored runbook. */
export interface IngestedChecks {
  /** Those that load. */
  readonly count: number;
  /** The first MAX_CHECK_PROBLEMS. The runbook is stored with them. */
  readonly problems: readonly CheckProblem[];
}

export const MAX_CHECK_PROBLEMS = 100;

/** The checks of a runbook; lines of problems are those of the text. */
export function ingestedChecks(text: string): IngestedChecks {
  const { checks, problems } = parseChecks(text);
  return { count: checks.length, problems: problems.slice(0, MAX_CHECK_PROBLEMS) };
}

/** Ingests a runbook. May be repeated: unchanged chunks are not embedded again. @throws DependencyError */
export async function ingestRunbook(
  services: IndexServices,
  { domain, path, text, isMarkdown, condition, by }: NewRunbook,
): Promise<Ingested> {
  const bytes = byteLength(text);
  if (bytes > MAX_DOCUMENT_BYTES) return { state: "too_large", bytes };
  const source = runbookName(domain, path);
  const runbook = { source, kind: "runbook" as const, text, tags: [], isMarkdown, domain };
  return ingest(services, runbook, { rule: GIVEN_BY_CALLER, moves: true, bytes, condition, by });
}

/** The stored name of a runbook, which citations use. */
export function runbookName(domain: string, path: string): string {
  return `${domain}/${path}`;
}

export type RemovedText = { readonly indexed: boolean };

/** Removes a text and its chunks; null when there is none. Results of triages follow later. @throws DependencyError */
export async function removeText(services: IndexServices, source: RemovableText): Promise<RemovedText | null> {
  const change = { ...source, now: services.now(), claimUntil: claimUntil(services) };
  const pending = await deleteText(services.background.database, change);
  return pending && { indexed: await flushOutbox(services, pending) };
}

interface IngestOptions extends Pick<NewRunbook, "condition" | "by"> {
  /** The reason for the domain. */
  readonly rule: string;
  readonly moves: boolean;
  readonly bytes: number;
}

async function ingest(
  services: IndexServices,
  text: NamedText,
  { rule, moves, bytes, condition, by }: IngestOptions,
): Promise<Ingested> {
  const { config, background } = services;
  const now = services.now();
  const chunking = { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP };
  const chunks = textDocuments(text, { redact: services.redact, chunking, now });
  if (chunks.documents.length === 0) return { state: "empty" };
  if (chunks.documents.length > MAX_CHUNKS) return { state: "too_many_chunks", chunks: chunks.documents.length };
  const { source, kind, domain } = text;
  const stored = await storeText(
    background.database,
    { source, kind, domain, moves, bytes, condition, by, ...chunks },
    { now, claimUntil: claimUntil(services) },
  );
  if (stored.state === "taken" || stored.state === "changed" || stored.state === "exists") return stored;
  if (stored.state === "other_domain") {
    // The chunks name their domain, so they are made again.
    const kept = { ...text, domain: stored.domain };
    return ingest(services, kept, { rule: "the stored version is in this domain", moves: true, bytes });
  }
  const { pending, waiting, ...rest } = stored;
  const isWritten = await flushOutbox(services, pending);
  return { ...rest, domainRule: rule, indexed: isWritten && !waiting };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
