// Stores of several sizes on one set of servers: for each size a database with a PostgREST, and a database in Chroma,
// filled with made-up domains and runbooks.

import postgres from "postgres";
import { stackPaths } from "../../dev/stack/paths.ts";
import { loadSecrets } from "../../dev/stack/secrets.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { type DomainDefinition, domainDefinitionSchema } from "../../functions/knowledge/domains/domain-definition.ts";
import {
  documentRow,
  documentText,
  indexMetadata,
  type SearchDocument,
} from "../../functions/search-index/search-document.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { type FileStores, openFileStores } from "../../tests/integration/support/file-stores.ts";
import { MAINTENANCE_DATABASE } from "../../tests/integration/support/shared-stack.ts";
import { scratchFolder } from "../../tests/support/scratch-folder.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import type { Corpus } from "./corpus.ts";
import { unitVector } from "./unit-vectors.ts";

export const CHUNKS_PER_SOURCE = 4;
/** One text in 21 is a note: beside notes, a triage searches Chroma for runbooks once more. */
const NOTE_EVERY = 21;

export interface Size {
  readonly domains: number;
  readonly runbooks: number;
}

export interface SizedStores {
  readonly size: Size;
  readonly environment: Record<string, string>;
  readonly chunks: number;
  /** Fewer than the chunks if the time was not enough. */
  readonly vectors: number;
}

export interface ScaleServers extends AsyncDisposable {
  /** Empty stores. A slow call is measured, not given up. */
  open(): Promise<FileStores>;
  /** @param vectorsMs time limit for storing vectors, which slows down as the collection grows */
  fill(corpus: Corpus, size: Size, vectorsMs: number, progress: (step: string) => void): Promise<SizedStores>;
}

export async function startServers(): Promise<ScaleServers> {
  const dir = await scratchFolder("bench");
  const stack = await startStack({ dir, ephemeral: true, services: ["postgres", "chroma"] });
  const { secrets, postgres: postgresDir } = stackPaths(dir);
  const shared = {
    dir,
    info: stack.info,
    ...(await loadSecrets(secrets, postgresDir)),
    tables: [],
    sharesProcess: false,
  };
  const admin = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${MAINTENANCE_DATABASE}`);
  await admin.end();
  const closers: (() => Promise<void>)[] = [];
  const open = async (): Promise<FileStores> => {
    const stores = await openFileStores(shared);
    closers.push(stores.close);
    return { ...stores, workerEnv: { ...stores.workerEnv, DEPENDENCY_TIMEOUT_MS: "9000" } };
  };
  return {
    open,
    async fill(corpus, size, vectorsMs, progress) {
      const stores = await open();
      const environment = stores.workerEnv;
      const sql = postgres(stores.info.urls.postgres, { max: 1, onnotice: () => {} });
      try {
        await storeDomains(sql, corpus, size);
        const services = createServices(environment, { log: () => {} });
        const counts = await storeTexts({ sql, services, corpus, size, vectorsMs, progress });
        await sql`vacuum analyze`;
        return { size, environment, ...counts };
      } finally {
        await sql.end();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(closers.map((close) => close()));
      await stack.stop();
    },
  };
}

export function domainOfSource(source: number, { domains }: Size): number {
  return source % domains;
}

/** A label that decides for the domain. */
export function labelsOf(domain: number): Record<string, string> {
  return { team: `team-${domain}` };
}

async function storeDomains(sql: postgres.Sql, corpus: Corpus, { domains }: Size): Promise<void> {
  for (let domain = 0; domain < domains; domain++) {
    const definition = { ...definitionOf(corpus, domain) };
    await sql`insert into public.domains (name, definition, origin)
      values (${nameOf(domain)}, ${sql.json(JSON.parse(JSON.stringify(definition)))}, 'folder')`;
  }
}

function nameOf(domain: number): string {
  return `domain-${domain}`;
}

/** 5 to 10 words; in every third domain a pattern, in every fourth three types of incident. */
function definitionOf(corpus: Corpus, domain: number): DomainDefinition {
  const words = [...new Set(corpus.topic(domain))];
  const patterns = domain % 3 === 0 ? [{ pattern: `\\bERR[ _-]?${domain}[0-9]{2,4}\\b[^\\n]{0,40}\\bfailed\\b` }] : [];
  const types = domain % 4 === 0 ? [0, 1, 2] : [];
  return domainDefinitionSchema.parse({
    description: `Made-up domain ${domain}.`,
    labels: [{ match: { team: [`team-${domain}`] } }, { match: { job: [`*domain-${domain}-exporter`] }, weight: 2 }],
    hints: [
      { words: words.slice(0, 2), weight: 3 },
      { words: words.slice(2, 5 + (domain % 6)), weight: 2 },
      ...patterns,
    ],
    incident_types: types.map((type) => ({
      name: `type_${type}`,
      hints: [{ words: words.slice(20 + 3 * type, 23 + 3 * type), weight: 3 }],
    })),
    first_looks: [{ text: "See the state.", command: `domain-${domain} status` }],
  });
}

interface Filling {
  readonly sql: postgres.Sql;
  readonly services: Services;
  readonly corpus: Corpus;
  readonly size: Size;
  readonly vectorsMs: number;
  readonly progress: (step: string) => void;
}

/** All texts of a domain at a time, as when a folder is loaded. */
async function storeTexts(filling: Filling): Promise<{ readonly chunks: number; readonly vectors: number }> {
  const { sql, services, corpus, size, vectorsMs, progress } = filling;
  const sources = Math.floor((size.runbooks * NOTE_EVERY) / (NOTE_EVERY - 1));
  const random = randomNumbers(3);
  const vector = () => unitVector(random, services.embedder.dimensions);
  const counts = { chunks: 0, vectors: 0 };
  let vectorTimeMs = 0;
  for (let domain = 0; domain < size.domains; domain++) {
    progress(`storing domain ${domain + 1} of ${size.domains}, ${counts.chunks.toLocaleString("en")} chunks`);
    const documents: SearchDocument[] = [];
    for (let source = domain; source < sources; source += size.domains) {
      for (let i = 0; i < CHUNKS_PER_SOURCE; i++) documents.push(documentOf(corpus, source, i, nameOf(domain)));
    }
    const storeVectors = async () => {
      if (vectorTimeMs > vectorsMs) return;
      const started = performance.now();
      const records = documents.map((document) => ({
        id: document.id,
        text: documentText(document),
        metadata: indexMetadata(document),
        vector: vector(),
        isNew: true,
      }));
      await services.background.vectors.store("runbooks", records);
      counts.vectors += records.length;
      vectorTimeMs += performance.now() - started;
    };
    const rows = documents.map((document) => documentRow(document));
    await Promise.all([sql`select public.upsert_documents('runbooks', ${sql.json(rows)})`, storeVectors()]);
    counts.chunks += documents.length;
  }
  return counts;
}

function documentOf(corpus: Corpus, source: number, i: number, domain: string): SearchDocument {
  const document = corpus.document(source * CHUNKS_PER_SOURCE + i);
  const kind = source % NOTE_EVERY === NOTE_EVERY - 1 ? "note" : "runbook";
  return { ...document, metadata: { kind, domain } };
}
