// Rows of sources of evidence: loads, stores and deletes definitions.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type EvidenceSourceDefinition, evidenceSourceSchema } from "../schemas/evidence/source.ts";
import { MAX_SOURCES } from "./source-definition.ts";

const rowSchema = evidenceSourceSchema.extend({ created_at: z.string(), updated_at: z.string() });
export type SourceRow = z.infer<typeof rowSchema>;

/** Leaves out rows of a kind that only another version of the service has: they must not end a triage. */
const rowsSchema = z.array(z.unknown()).transform((rows) =>
  rows.flatMap((row): SourceRow[] => {
    const parsed = rowSchema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  }),
);

export const loadedSourcesSchema = z.object({
  version: z.string(),
  /** By name; null if the caller has this version already. */
  sources: rowsSchema.nullable(),
});
export type LoadedSources = z.infer<typeof loadedSourcesSchema>;

/** @param version that the caller has; null for none. @throws DependencyError */
export async function loadSources(database: Database, version: string | null): Promise<LoadedSources> {
  const args = version === null ? {} : { p_version: version };
  return database.call("load_evidence_sources", args, loadedSourcesSchema, { retries: 1 });
}

const putSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("too_many") }),
  z.object({ state: z.literal("stored"), created: z.boolean(), source: rowSchema }),
]);
export type PutSourceResult = z.infer<typeof putSchema>;

/** @throws DependencyError @throws RestrictionError for a caller that is restricted to domains */
export async function putSource(
  database: Database,
  source: EvidenceSourceDefinition,
  now: Date,
): Promise<PutSourceResult> {
  const p = { now: now.toISOString(), limit: MAX_SOURCES, source };
  return database.call("put_evidence_source", { p }, putSchema, { retries: 1 });
}

/** False if there is no such source. @throws DependencyError @throws RestrictionError as `putSource` */
export async function deleteSource(database: Database, name: string): Promise<boolean> {
  // No retry: after a lost result the second call would find nothing.
  return database.call("delete_evidence_source", { p_name: name }, z.boolean());
}
