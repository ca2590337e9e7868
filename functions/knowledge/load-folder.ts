// Loads domains with their runbooks, as a folder has them, into both stores.

import type { KnowledgeServices } from "./domain-store.ts";
import { readDomains } from "./domain-store.ts";
import type { DomainDefinition } from "./domains/domain-definition.ts";
import { findLabelConflicts, type LabelConflict } from "./domains/label-conflicts.ts";
import { putDomain } from "./put-domain.ts";
import { type FolderText, type SkippedRunbook, type SyncReport, syncRunbooks } from "./sync-runbooks.ts";
import type { FolderOrigin } from "./text-records.ts";

/** A folder of runbooks: a technology or a team. */
export interface DomainFolder {
  readonly name: string;
  /** Null without a `domain.yaml`. */
  readonly definition: DomainDefinition | null;
  readonly runbooks: readonly FolderText[];
  /** Notes, logs and postmortems; missing when there are none. */
  readonly documents?: readonly FolderText[];
}

export interface Folder {
  readonly origin: FolderOrigin;
  readonly domains: readonly DomainFolder[];
}

export interface LoadReport extends SyncReport {
  /** Runbook files. */
  readonly sources: number;
  /** Files of notes, logs and postmortems; missing when there are none. */
  readonly documents?: number;
  /** Domains whose definition was skipped because one of a stronger origin is stored; missing when there are none. */
  readonly keptDomains?: readonly string[];
}

export type LoadFolder =
  | { readonly state: "loaded"; readonly report: LoadReport }
  /** Two domains claim one label; nothing was stored. */
  | { readonly state: "conflict"; readonly conflicts: readonly (LabelConflict & { readonly domain: string })[] };

/**
 * Adds the folder's domains and runbooks and updates those that changed. Touches no other. Idempotent: unchanged chunks are
 * neither embedded nor written.
 * @param onProgress counts the chunks that have to be written in the domain
 * @throws DependencyError; what was written stays, and the next run continues
 */
export async function loadFolder(
  services: KnowledgeServices,
  { origin, domains }: Folder,
  onProgress?: (done: number, total: number, domain: string) => void,
): Promise<LoadFolder> {
  const { config } = services;
  const defined = await loadDefinitions(services, { origin, domains });
  if (defined.state === "conflict") return defined;
  const total = { sources: 0, embedded: 0, moved: 0, unchanged: 0, removed: 0 };
  const skipped: SkippedRunbook[] = [];
  let documentFiles = 0;
  for (const { name, runbooks, documents = [] } of domains) {
    const texts = [...runbooks, ...documents];
    if (texts.length === 0) continue;
    const report = await syncRunbooks(services.background, name, texts, {
      origin,
      redact: services.redact,
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
  const report = {
    ...total,
    ...(documentFiles > 0 ? { documents: documentFiles } : {}),
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(defined.kept.length > 0 ? { keptDomains: defined.kept } : {}),
  };
  return { state: "loaded", report };
}

/** Stores the definitions of the folder. `kept`: domains whose stored definition has a stronger origin. */
async function loadDefinitions(
  services: KnowledgeServices,
  { origin, domains }: Folder,
): Promise<{ readonly state: "stored"; readonly kept: string[] } | Extract<LoadFolder, { state: "conflict" }>> {
  const defined = domains.flatMap(({ name, definition }) => (definition === null ? [] : [{ name, definition }]));
  const { database } = services.background;
  const stored = await readDomains(services.domains, { database, now: services.now() });
  const names = new Set(defined.map(({ name }) => name));
  const others = [...stored.defined.filter(({ name }) => !names.has(name)), ...defined];
  // Checked before anything is stored.
  const conflicts = defined.flatMap((domain) =>
    findLabelConflicts(domain, others).map((conflict) => ({ ...conflict, domain: domain.name })),
  );
  if (conflicts.length > 0) return { state: "conflict", conflicts };
  const kept: string[] = [];
  for (const domain of defined) {
    const result = await putDomain({ ...services, database }, domain, origin);
    if (result.state === "kept") kept.push(domain.name);
    if (result.state === "conflict")
      return { state: "conflict", conflicts: result.conflicts.map((each) => ({ ...each, domain: domain.name })) };
  }
  return { state: "stored", kept };
}
