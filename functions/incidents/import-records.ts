// Stores incidents of other systems, resolved and with their fixes. Each has an id of its own, so an import may be repeated.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type ReportedTry, tryColumns } from "../memory/fixes.ts";
import { type ObservationUpdate, observationColumns } from "../memory/memory-updates.ts";
import { type Observation, observationSchema } from "../memory/observation.ts";
import type { Imported } from "../schemas/imported.ts";
import type { Incident } from "../schemas/incident.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import type { ScrubbedReport } from "./incident-queue.ts";
import { incidentColumns } from "./run-records.ts";

/** The id of an imported incident: the same for the same incident of the same system. */
export function importedId(from: string, originalId: string): string {
  const digest = createHash("sha256").update(`imported ${from} ${originalId}`).digest("hex");
  // Version 8 of RFC 9562: a digest that is none of the named ones.
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

const storedSchema = z.array(z.object({ id: z.string(), incident_id: z.string().nullable(), is_deleted: z.boolean() }));
export type StoredImport = z.infer<typeof storedSchema>[number];

/** Which of these incidents are stored or were deleted, by their ids. @throws DependencyError */
export async function findImported(
  database: Database,
  search: {
    readonly from: string;
    /** Owner of the token: its webhook may have reported them. */
    readonly owner: string;
    readonly incidents: readonly { readonly id: string; readonly originalId: string }[];
  },
): Promise<ReadonlyMap<string, StoredImport>> {
  const { from, owner } = search;
  const incidents = search.incidents.map(({ id, originalId }) => ({ id, original_id: originalId }));
  const rows = await database.call("find_imported", { p: { from, owner, incidents } }, storedSchema, { retries: 1 });
  return new Map(rows.map((each) => [each.id, each]));
}

export interface ImportedIncident {
  readonly incident: Incident;
  readonly resolvedAt: Date;
  readonly fix: ReportedTry;
  /** Whether the fix is newer than that of its record. */
  readonly isLatest: boolean;
  readonly scrubbed: ScrubbedReport;
  readonly imported: Imported;
  readonly update: ObservationUpdate;
}

const resultSchema = z.object({
  results: z.array(
    z.discriminatedUnion("state", [
      z.object({ id: z.string(), state: z.literal(["imported", "present"]) }),
      z.object({ id: z.string(), state: z.literal("changed"), observation: observationSchema.nullable() }),
    ]),
  ),
  pending: pendingWritesSchema,
});

export interface ImportResult {
  readonly results: readonly (
    | { readonly id: string; readonly state: "imported" | "present" }
    /** The record of its failure is this one by now: nothing is stored. */
    | { readonly id: string; readonly state: "changed"; readonly observation: Observation | null }
  )[];
  readonly pending: readonly PendingWrite[];
}

/** May be repeated. @throws DependencyError */
export async function recordImport(
  database: Database,
  input: { readonly now: Date; readonly claimUntil: string; readonly incidents: readonly ImportedIncident[] },
): Promise<ImportResult> {
  const incidents = input.incidents.map(({ incident, resolvedAt, fix, isLatest, scrubbed, imported, update }) => ({
    incident: {
      ...incidentColumns(incident),
      resolved_at: resolvedAt.toISOString(),
      guardrails: scrubbed,
      imported: { ...imported },
    },
    fix: tryColumns(fix),
    is_latest: isLatest,
    observation: observationColumns(update),
  }));
  const p = { now: input.now.toISOString(), claim_until: input.claimUntil, incidents };
  return database.call("import_incidents", { p }, resultSchema);
}
