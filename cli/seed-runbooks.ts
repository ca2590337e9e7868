// Loads a folder of domains and runbooks into both stores, and removes runbooks that the folder no longer holds.

import { fileURLToPath } from "node:url";
import type { Environment } from "../functions/config.ts";
import { readDomains } from "../functions/knowledge/domain-store.ts";
import { findLabelConflicts } from "../functions/knowledge/domains/label-conflicts.ts";
import { removeText } from "../functions/knowledge/ingest.ts";
import { putDomain } from "../functions/knowledge/put-domain.ts";
import { type SkippedRunbook, type SyncReport, syncRunbooks } from "../functions/knowledge/sync-runbooks.ts";
import { textId } from "../functions/knowledge/text-documents.ts";
import { type FolderOrigin, listTexts, type TextEntry } from "../functions/knowledge/text-records.ts";
import { TEXT_KINDS } from "../functions/schemas/text-kind.ts";
import { createServices, type Services } from "../functions/services.ts";
import { type DomainFolder, type FileProblem, findDomainFiles, readDomainFolder } from "./runbook-files.ts";
import { SLOW_WORK } from "./slow-work.ts";

const BUILT_IN = fileURLToPath(new URL("../seeds/runbooks", import.meta.url));

/** Rows of `sources` asked for at a time. */
const PAGE = 500;

export interface RunbookFolder {
  readonly origin: FolderOrigin;
  readonly domains: readonly DomainFolder[];
  /** Files and folders that have to be renamed; none of them is loaded. */
  readonly problems: readonly FileProblem[];
}

export interface SeedOptions {
  /** The Worker's environment: where Postgres, Chroma and the embedder are. */
  readonly env: Environment;
  /** A folder of runbooks; those that ship with Dejavu by default. */
  readonly directory?: string;
  /** `total` counts the chunks that have to be written in the domain that `label` names. */
  readonly onProgress?: (done: number, total: number, label: string) => void;
}

export interface SeedReport extends SyncReport {
  /** Runbook files. */
  readonly sources: number;
  /** Files of notes, logs and postmortems; missing when there are none. */
  readonly documents?: number;
  /** Domains whose definition was skipped because one of a stronger origin is stored; missing when there are none. */
  readonly keptDomains?: readonly string[];
}

/** @param directory the runbooks that ship with Dejavu by default. @throws Error on a bad folder or file */
export async function readRunbookFolder(directory?: string): Promise<RunbookFolder> {
  const { domains, problems } = await findDomainFiles(directory ?? BUILT_IN);
  const read = await Promise.all(domains.map(readDomainFolder));
  return { origin: directory === undefined ? "built_in" : "folder", domains: read, problems };
}

/**
 * Adds the folder's domains and runbooks and updates those that changed. Touches no other. Idempotent: unchanged chunks are
 * neither embedded nor written.
 * @throws DependencyError, Error on a bad folder or file
 */
export async function seedRunbooks({ directory, ...options }: SeedOptions): Promise<SeedReport> {
  return loadRunbooks(await readRunbookFolder(directory), options);
}

/**
 * As `seedRunbooks`, for a folder that has been read.
 * @throws DependencyError, Error when two domains claim one label; nothing is stored then
 */
export async function loadRunbooks(
  { origin, domains }: Pick<RunbookFolder, "origin" | "domains">,
  { env, onProgress }: Omit<SeedOptions, "directory">,
): Promise<SeedReport> {
  const services = createSlowServices(env);
  const { config } = services;
  const keptDomains = await loadDefinitions(services, { origin, domains });
  const total = { sources: 0, embedded: 0, moved: 0, unchanged: 0, removed: 0 };
  const skipped: SkippedRunbook[] = [];
  let documentFiles = 0;
  for (const { name, runbooks, documents = [] } of domains) {
    const texts = [...runbooks, ...documents];
    if (texts.length === 0) continue;
    const report = await syncRunbooks(services.background, name, texts, {
      origin,
      chunking: { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP },
      now: services.now(),
      onProgress: (done, count) => onProgress?.(done, count, name),
    });
    total.sources += runbooks.length;
    documentFiles += documents.length;
    total.embedded += report.embedded;
    total.moved += report.moved;
    total.unchanged += report.unchanged;
    total.removed += report.removed;
    skipped.push(...(report.skipped ?? []));
  }
  return {
    ...total,
    ...(documentFiles > 0 ? { documents: documentFiles } : {}),
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(keptDomains.length > 0 ? { keptDomains } : {}),
  };
}

/** Stores the definitions of the folder. @returns names of domains whose stored definition has a stronger origin */
async function loadDefinitions(
  services: Services,
  { origin, domains }: Pick<RunbookFolder, "origin" | "domains">,
): Promise<string[]> {
  const defined = domains.flatMap(({ name, definition }) => (definition === null ? [] : [{ name, definition }]));
  const { database } = services.background;
  const stored = await readDomains(services.domains, { database, now: services.now() });
  const names = new Set(defined.map(({ name }) => name));
  const others = [...stored.defined.filter(({ name }) => !names.has(name)), ...defined];
  // Checked before anything is stored.
  const conflicts = defined.flatMap((domain) =>
    findLabelConflicts(domain, others).map(({ path, message }) => `  ${domain.name}: ${path.join(".")} ${message}`),
  );
  if (conflicts.length > 0)
    throw new Error(`Two domains claim one label; nothing was stored.\n${conflicts.join("\n")}`);
  const kept: string[] = [];
  for (const domain of defined) {
    const result = await putDomain({ ...services, database }, domain, origin);
    if (result.state === "kept") kept.push(domain.name);
    if (result.state === "conflict") throw new Error(`${domain.name}: ${result.conflicts[0]?.message}`);
  }
  return kept;
}

/**
 * Texts on record of the folder's origin that the folder does not hold. A folder of your own speaks for its domains only:
 * other teams may load folders of theirs.
 * @throws DependencyError
 */
export async function findMissing({ origin, domains }: RunbookFolder, env: Environment): Promise<TextEntry[]> {
  const { database } = createSlowServices(env).background;
  const present = new Set(
    domains.flatMap(({ runbooks, documents = [] }) => [...runbooks, ...documents].map(({ source }) => source)),
  );
  const names = new Set(domains.map(({ name }) => name));
  const covers = ({ domain }: TextEntry) => origin === "built_in" || names.has(domain);
  const missing: TextEntry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listTexts(database, { limit: PAGE, kinds: TEXT_KINDS, after });
    missing.push(...page.filter((entry) => entry.origin === origin && covers(entry) && !present.has(entry.source)));
    after = page.at(-1)?.source;
    if (after === undefined || page.length < PAGE) return missing;
  }
}

/** Removes these texts. Skips one whose origin has changed since it was listed. @throws DependencyError */
export async function removeRunbooks(entries: readonly TextEntry[], env: Environment): Promise<void> {
  const services = createSlowServices(env);
  for (const { id, origin, kind } of entries) await removeText(services, { id, origin, kinds: [kind] });
}

/** One line for a person: what a run did, and what it left alone. */
export function describeSeed(report: SeedReport): string {
  const { sources, documents = 0, embedded, moved, unchanged, removed, skipped = [], keptDomains = [] } = report;
  const files = [
    ...(sources > 0 || documents === 0 ? [`${sources} ${sources === 1 ? "runbook" : "runbooks"}`] : []),
    ...(documents > 0 ? [`${documents} ${documents === 1 ? "document" : "documents"}`] : []),
  ].join(", ");
  const keptDefinitions = keptDomains.map(
    (name) => `; left the definition of ${name} as the API or a folder of yours has it`,
  );
  const left = skipped.map(
    ({ source, origin, kind }) =>
      `; left out ${source}: ${origin === "api" ? "the API holds a text of that name" : "a folder of yours has a text of that name"} (delete that one with DELETE /v1/${kind === undefined ? `runbooks/${source}` : `documents/${textId(source)}`} to have this one)`,
  );
  if (embedded + moved + removed === 0)
    return `${files}, ${unchanged} chunks: all up to date, nothing embedded${[...left, ...keptDefinitions].join("")}`;
  const counts = [
    [embedded, "new or changed"],
    [moved, "moved or relabelled"],
    [unchanged, "unchanged"],
    [removed, "removed"],
  ] as const;
  const parts = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return `${files}, chunks: ${parts.join(", ")}${[...left, ...keptDefinitions].join("")}`;
}

/** Services with time for slow work, which log warnings and errors only. */
export function createSlowServices(env: Environment): Services {
  return createServices({ ...env, LOG_LEVEL: "warn" }, { internals: SLOW_WORK });
}
