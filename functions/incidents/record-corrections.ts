// Splits and joins of records, as people correct them. Each is one SQL function.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { revisedColumns } from "../memory/memory-updates.ts";
import type { Observation, observationRow } from "../memory/observation.ts";
import { reviseSchema } from "../memory/write-to-record.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { type IncidentWithHistory, incidentWithHistorySchema } from "./incident-records.ts";

/** The part of a correction that both kinds have. */
export interface RecordCorrection {
  readonly now: Date;
  readonly claimUntil: string;
  readonly observationId: string;
  readonly judgementId: string;
  readonly reason: string | null;
  /** The changed records as the last call returned them; their documents are written from these. */
  readonly revised: readonly Observation[];
}

const notFound = z.object({ state: z.literal("not_found") });

const splitResultSchema = z.discriminatedUnion("state", [
  notFound,
  reviseSchema,
  z.object({ state: z.literal("unknown_incidents"), ids: z.array(z.string()) }),
  // No incident would go, or none would stay.
  z.object({ state: z.literal("one_group") }),
  // Nothing is stored: call again with the observation of this incident as row.
  z.object({ state: z.literal("describe"), found: incidentWithHistorySchema }),
  z.object({ state: z.literal("split"), pending: pendingWritesSchema, new_id: z.string() }),
]);
export type SplitResult =
  | Exclude<z.infer<typeof splitResultSchema>, { readonly state: "describe" | "split" }>
  | { readonly state: "describe"; readonly found: IncidentWithHistory }
  | { readonly state: "split"; readonly pending: readonly PendingWrite[]; readonly new_id: string };

/** @throws DependencyError */
export async function splitRecord(
  database: Database,
  correction: RecordCorrection & {
    readonly incidentIds: readonly string[];
    /** The observation of the incident that the last call asked for. */
    readonly row: ReturnType<typeof observationRow> | null;
  },
): Promise<SplitResult> {
  const { incidentIds, row } = correction;
  const p = { ...correctionColumns(correction), incident_ids: [...incidentIds], ...(row ? { row } : {}) };
  return database.call("split_observation", { p }, splitResultSchema);
}

const joinResultSchema = z.discriminatedUnion("state", [
  notFound,
  reviseSchema,
  z.object({ state: z.literal("other_not_found") }),
  z.object({ state: z.literal("other_domain"), domain: z.string(), other_domain: z.string() }),
  z.object({ state: z.literal("joined"), pending: pendingWritesSchema }),
]);
export type JoinResult = z.infer<typeof joinResultSchema>;

/** @throws DependencyError */
export async function joinRecords(
  database: Database,
  correction: RecordCorrection & { readonly otherId: string },
): Promise<JoinResult> {
  const p = { ...correctionColumns(correction), other_id: correction.otherId };
  return database.call("join_observations", { p }, joinResultSchema);
}

function correctionColumns({ now, claimUntil, observationId, judgementId, reason, revised }: RecordCorrection) {
  return {
    now: now.toISOString(),
    claim_until: claimUntil,
    id: observationId,
    judgement_id: judgementId,
    reason,
    revised: revised.map(revisedColumns),
  };
}
