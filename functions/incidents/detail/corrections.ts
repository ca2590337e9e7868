// Reopening of incidents and corrections of their domain. Each is one SQL function.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import { revisedColumns } from "../../memory/memory-updates.ts";
import type { Observation, observationRow } from "../../memory/observation.ts";
import { type PastAnswer, pastAnswerRow } from "../../memory/past-answers.ts";
import { type Revise, reviseSchema } from "../../memory/write-to-record.ts";
import { type PendingWrite, pendingWritesSchema } from "../../search-index/outbox.ts";
import { type IncidentWithHistory, incidentWithHistorySchema } from "../incident-records.ts";

const notFound = z.object({ state: z.literal("not_found") });

const reopenResultSchema = z.discriminatedUnion("state", [
  notFound,
  reviseSchema,
  z.object({ state: z.literal("open"), found: incidentWithHistorySchema }),
  z.object({ state: z.literal("reopened"), pending: pendingWritesSchema, found: incidentWithHistorySchema }),
]);
export type ReopenResult =
  | { readonly state: "not_found" }
  | Revise
  /** It is not resolved; nothing is stored. */
  | { readonly state: "open"; readonly found: IncidentWithHistory }
  | { readonly state: "reopened"; readonly pending: readonly PendingWrite[]; readonly found: IncidentWithHistory };

/** @throws DependencyError */
export async function reopenIncident(
  database: Database,
  input: {
    readonly now: Date;
    readonly claimUntil: string;
    readonly incidentId: string;
    readonly by: string | null;
    readonly reason: string | null;
    /** Whether nobody applied the fix. */
    readonly mistake: boolean;
    /** The past answer without the fix; null when memory stores none. */
    readonly memory: PastAnswer | null;
    readonly revised: readonly Observation[];
  },
): Promise<ReopenResult> {
  const { now, claimUntil, incidentId, by, reason, mistake, memory, revised } = input;
  const p = { now: now.toISOString(), claim_until: claimUntil, incident_id: incidentId, by, reason, mistake };
  const documents = { revised: revised.map(revisedColumns) };
  const args = { p: { ...p, ...documents, ...(memory ? { past_answer: pastAnswerRow(memory) } : {}) } };
  return database.call("reopen_incident", args, reopenResultSchema);
}

const correctionResultSchema = z.discriminatedUnion("state", [
  notFound,
  z.object({ state: z.literal("changed") }),
  // Nothing is stored: call again with the observation of this incident as row.
  z.object({ state: z.literal("describe"), found: incidentWithHistorySchema }),
  reviseSchema,
  z.object({ state: z.literal("corrected"), pending: pendingWritesSchema, found: incidentWithHistorySchema }),
]);
export type CorrectionResult =
  | { readonly state: "not_found" }
  | { readonly state: "changed" }
  | { readonly state: "describe"; readonly found: IncidentWithHistory }
  | Revise
  | { readonly state: "corrected"; readonly pending: readonly PendingWrite[]; readonly found: IncidentWithHistory };

/** @throws DependencyError */
export async function correctDomain(
  database: Database,
  input: {
    readonly now: Date;
    readonly claimUntil: string;
    readonly incidentId: string;
    readonly domain: string;
    readonly rule: string;
    readonly by: string | null;
    /** Id of the record that the report may need; the same in each call of one correction. */
    readonly newId: string;
    readonly row: ReturnType<typeof observationRow> | null;
    readonly revised: readonly Observation[];
  },
): Promise<CorrectionResult> {
  const { now, claimUntil, incidentId, domain, rule, by, newId, row, revised } = input;
  const p = {
    now: now.toISOString(),
    claim_until: claimUntil,
    incident_id: incidentId,
    domain,
    rule,
    by,
    new_id: newId,
    revised: revised.map(revisedColumns),
    ...(row ? { row } : {}),
  };
  return database.call("correct_domain", { p }, correctionResultSchema);
}

/** The incident with this id, or one of the record with this id, but not `except`; null without one. @throws DependencyError */
export async function incidentToCompare(
  database: Database,
  { id, except }: { readonly id: string; readonly except: string },
): Promise<IncidentWithHistory | null> {
  const args = { p_id: id, p_except: except };
  return database.call("incident_to_compare", args, incidentWithHistorySchema.nullable(), { retries: 1 });
}
