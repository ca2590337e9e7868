// Loads a folder of runbooks into both stores, domain by domain, and removes runbooks that the folder no longer holds.

import { fileURLToPath } from "node:url";
import type { Environment } from "../functions/config.ts";
import { removeSource } from "../functions/knowledge/ingest.ts";
import { type FolderOrigin, listSources, type SourceEntry } from "../functions/knowledge/source-records.ts";
import {
  type Runbook,
  type SkippedRunbook,
  type SyncReport,
  syncRunbooks,
} from "../functions/knowledge/sync-runbooks.ts";
import { DOMAIN_NAMES, type DomainName } from "../functions/schemas/domain.ts";
import { createServices, type Services } from "../functions/services.ts";
import { readRunbooks } from "./runbook-files.ts";
import { SLOW_WORK } from "./slow-work.ts";

const BUILT_IN = fileURLToPath(new URL("../seeds/runbooks", import.meta.url));

/** Rows of `sources` asked for at a time. */
const PAGE = 500;

export interface RunbookFolder {
  readonly origin: FolderOrigin;
  readonly byDomain: Readonly<Record<DomainName, readonly Runbook[]>>;
}

export interface SeedOptions {
  /** The Worker's environment: where Postgres, Chroma and the embedder are. */
  readonly env: Environment;
  /** Holds one folder a domain; the runbooks that ship with Dejavu by default. */
  readonly directory?: string;
  /** `total` counts the chunks that have to be written in the domain that `label` names. */
  readonly onProgress?: (done: number, total: number, label: string) => void;
}

export interface SeedReport extends SyncReport {
  /** Runbook files. */
  readonly sources: number;
}

/** @param directory the runbooks that ship with Dejavu by default. @throws Error on a bad folder or file */
export async function readRunbookFolder(directory?: string): Promise<RunbookFolder> {
  return directory === undefined
    ? { origin: "built_in", byDomain: await readRunbooks(BUILT_IN) }
    : { origin: "folder", byDomain: await readRunbooks(directory) };
}

/**
 * Adds the folder's runbooks and updates those that changed. Touches no other. Idempotent: unchanged chunks are neither
 * embedded nor written.
 * @throws DependencyError, Error on a bad folder or file
 */
export async function seedRunbooks({ directory, ...options }: SeedOptions): Promise<SeedReport> {
  return loadRunbooks(await readRunbookFolder(directory), options);
}

/** As `seedRunbooks`, for a folder that has been read. @throws DependencyError */
export async function loadRunbooks(
  { origin, byDomain }: RunbookFolder,
  { env, onProgress }: Omit<SeedOptions, "directory">,
): Promise<SeedReport> {
  const services = createSlowServices(env);
  const { config } = services;
  const total = { sources: 0, embedded: 0, moved: 0, unchanged: 0, removed: 0 };
  const skipped: SkippedRunbook[] = [];
  for (const domain of DOMAIN_NAMES.filter((name) => byDomain[name].length > 0)) {
    const report = await syncRunbooks(services.background, domain, byDomain[domain], {
      origin,
      chunking: { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP },
      now: services.now(),
      onProgress: (done, count) => onProgress?.(done, count, domain),
    });
    total.sources += byDomain[domain].length;
    total.embedded += report.embedded;
    total.moved += report.moved;
    total.unchanged += report.unchanged;
    total.removed += report.removed;
    skipped.push(...(report.skipped ?? []));
  }
  return skipped.length > 0 ? { ...total, skipped } : total;
}

/** Runbooks on record of the folder's origin that the folder does not hold. @throws DependencyError */
export async function findMissing({ origin, byDomain }: RunbookFolder, env: Environment): Promise<SourceEntry[]> {
  const { database } = createSlowServices(env).background;
  const present = new Set(DOMAIN_NAMES.flatMap((domain) => byDomain[domain].map(({ source }) => source)));
  const missing: SourceEntry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listSources(database, { limit: PAGE, kinds: ["runbook"], after });
    missing.push(...page.filter((entry) => entry.origin === origin && !present.has(entry.source)));
    after = page.at(-1)?.source;
    if (after === undefined || page.length < PAGE) return missing;
  }
}

/** Removes these runbooks. Skips one whose origin has changed since it was listed. @throws DependencyError */
export async function removeRunbooks(entries: readonly SourceEntry[], env: Environment): Promise<void> {
  const services = createSlowServices(env);
  for (const { id, origin } of entries) await removeSource(services, { id, origin, kinds: ["runbook"] });
}

/** One line for a person: what a run did, and what it left alone. */
export function describeSeed(report: SeedReport): string {
  const { sources, embedded, moved, unchanged, removed, skipped = [] } = report;
  const files = `${sources} ${sources === 1 ? "runbook" : "runbooks"}`;
  const left = skipped.map(
    ({ source, origin }) =>
      `; left out ${source}: ${origin === "api" ? "the API holds a text of that name" : "a folder of yours has a runbook of that name"} (delete that one with DELETE /v1/runbooks/${source} to have this one)`,
  );
  if (embedded + moved + removed === 0)
    return `${files}, ${unchanged} chunks: all up to date, nothing embedded${left.join("")}`;
  return `${files}: ${embedded} chunks embedded, ${moved} moved or relabelled, ${unchanged} unchanged, ${removed} removed${left.join("")}`;
}

function createSlowServices(env: Environment): Services {
  return createServices({ ...env, ...SLOW_WORK, LOG_LEVEL: "warn" });
}
