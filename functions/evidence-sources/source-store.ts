// Keeps the sources of evidence of an isolate: those of the environment, and those of the database. The start of a run brings
// changes with it; other callers read them when their copy is old.

import type { Database } from "../adapters/database.ts";
import type { EvidenceSourceDefinition } from "../schemas/evidence/source.ts";
import { type LoadedSources, loadSources, type SourceRow } from "./source-records.ts";

/** A source that another isolate changed is seen after this time. */
const MAX_AGE_MS = 30_000;

export interface SourceSnapshot {
  /** Null before the first read. */
  readonly version: string | null;
  /** Of the database. A source of the environment hides the one with its name. */
  readonly rows: readonly SourceRow[];
  /** All of them by name. */
  readonly definitions: readonly EvidenceSourceDefinition[];
}

export interface SourceStore {
  /** Defined by the environment. */
  readonly fixed: readonly EvidenceSourceDefinition[];
  /** The last copy; without those of the database before the first read. */
  current(): SourceSnapshot;
  /** Takes over what the database returned. */
  accept(loaded: LoadedSources, now: Date): SourceSnapshot;
  /** Whether the last copy is too old for a caller without a run. */
  isOld(now: Date): boolean;
  /** Makes the next caller read the sources again. */
  invalidate(): void;
}

/**
 * @param environment the sources that the environment defines
 * @param allowed the domains that the callers are restricted to; null for all. They use sources that name one of these.
 */
export function createSourceStore(
  environment: readonly EvidenceSourceDefinition[],
  allowed: readonly string[] | null = null,
): SourceStore {
  const isVisible = ({ domains }: EvidenceSourceDefinition) =>
    allowed === null || domains.some((domain) => allowed.includes(domain));
  const fixed = environment.filter(isVisible);
  const names = new Set(environment.map(({ name }) => name));
  const snapshotOf = (version: string | null, loaded: readonly SourceRow[]): SourceSnapshot => {
    const rows = loaded.filter((row) => isVisible(row) && !names.has(row.name));
    const definitions = [...fixed, ...rows].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { version, rows, definitions };
  };
  let snapshot = snapshotOf(null, []);
  let readAt: number | null = null;
  return {
    fixed,
    current: () => snapshot,
    accept({ version, sources }, now) {
      readAt = now.getTime();
      if (sources !== null) snapshot = snapshotOf(version, sources);
      return snapshot;
    },
    isOld: (now) => readAt === null || Math.abs(now.getTime() - readAt) > MAX_AGE_MS,
    invalidate() {
      readAt = null;
    },
  };
}

/** The current sources, with one round trip at most. @throws DependencyError */
export async function readSources(
  store: SourceStore,
  { database, now }: { readonly database: Database; readonly now: Date },
): Promise<SourceSnapshot> {
  return store.accept(await loadSources(database, store.current().version), now);
}
