// Keeps the compiled domains of an isolate. The start of a run brings changes with it; other callers read them when their
// copy is old. While the database is unavailable, the last copy serves.

import type { Database } from "../adapters/database.ts";
import { settle } from "../dependencies.ts";
import type { IndexServices } from "../search-index/search-services.ts";
import { type LoadedDomains, loadDomains } from "./domain-records.ts";
import { createDomainCatalog, type DomainCatalog } from "./domains/domain-catalog.ts";
import type { DefinedDomain } from "./domains/domain-definition.ts";

/** A domain that another isolate changed is seen after this time. */
const MAX_AGE_MS = 30_000;

export interface DomainSnapshot {
  /** Null before the first read. */
  readonly version: string | null;
  readonly defined: readonly DefinedDomain[];
  readonly catalog: DomainCatalog;
}

export interface DomainStore {
  /** The last copy; empty before the first read. */
  current(): DomainSnapshot;
  /** Takes over what the database returned. */
  accept(loaded: LoadedDomains, now: Date): DomainSnapshot;
  /** Whether the last copy is too old for a caller without a run. */
  isOld(now: Date): boolean;
  /** Makes the next caller read the domains again. */
  invalidate(): void;
}

/** The restriction of a caller to some domains. */
export interface DomainRestriction {
  readonly domains: readonly string[];
  /** All domains, for decisions that must not pass over those of others. @throws DependencyError */
  readonly readAll: () => Promise<DomainSnapshot>;
  /** The isolate's copy of all domains. Never throws a DependencyError. */
  readonly catalogOfAll: () => Promise<DomainCatalog>;
}

/** Dependencies of everything that needs to know the domains. */
export interface KnowledgeServices extends IndexServices {
  /** Of a restricted caller: its own. */
  readonly domains: DomainStore;
  /** Null for a caller that is not restricted. */
  readonly restriction: DomainRestriction | null;
}

/** @param allowed the domains that the callers are restricted to; null for all */
export function createDomainStore(allowed: readonly string[] | null = null): DomainStore {
  let snapshot: DomainSnapshot = { version: null, defined: [], catalog: createDomainCatalog([], allowed) };
  let readAt: number | null = null;
  return {
    current: () => snapshot,
    accept({ version, domains }, now) {
      readAt = now.getTime();
      if (domains !== null) snapshot = { version, defined: domains, catalog: createDomainCatalog(domains, allowed) };
      return snapshot;
    },
    isOld: (now) => readAt === null || Math.abs(now.getTime() - readAt) > MAX_AGE_MS,
    invalidate() {
      readAt = null;
    },
  };
}

/** The current domains, with one round trip at most. @throws DependencyError */
export async function readDomains(
  store: DomainStore,
  { database, now }: { readonly database: Database; readonly now: Date },
): Promise<DomainSnapshot> {
  return store.accept(await loadDomains(database, store.current().version), now);
}

/** The domains for a report. Never throws a DependencyError: the last copy serves while they cannot be read. */
export async function domainCatalog({ domains, database, now, log }: KnowledgeServices): Promise<DomainCatalog> {
  if (!domains.isOld(now())) return domains.current().catalog;
  const read = await settle(readDomains(domains, { database, now: now() }));
  if (read.ok) return read.value.catalog;
  log("warn", "domains.read_failed", { error: read.error.message });
  return domains.current().catalog;
}
