// Writes resolutions of incidents and tries of fixes. Each is one SQL function.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { type ReportedTry, tryColumns } from "../memory/fixes.ts";
import { type ObservationUpdate, observationColumns, revisedColumns } from "../memory/memory-updates.ts";
import { type Observation, observationRow, observationSchema } from "../memory/observation.ts";
import { type PastAnswer, pastAnswerRow } from "../memory/past-answers.ts";
import { type PendingWrite, pendingWritesSchema } from "../search-index/outbox.ts";
import { type IncidentWithHistory, incidentWithHistorySchema } from "./incident-records.ts";

const resolveResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("changed") }),
  z.object({ state: z.literal("of_another"), found: incidentWithHistorySchema }),
  z.object({ state: z.literal("resolved"), pending: pendingWritesSchema, found: incidentWithHistorySchema }),
]);

export type ResolveResult =
  | { readonly state: "not_found" }
  /** The record has changed since it was read: read it again. */
  | { readonly state: "changed" }
  /** Another caller recorded the fix, and only they or an admin may replace it. Nothing is stored. */
  | { readonly state: "of_another"; readonly found: IncidentWithHistory }
  | { readonly state: "resolved"; readonly pending: readonly PendingWrite[]; readonly found: IncidentWithHistory };

/** @throws DependencyError */
export async function recordResolution(
  database: Database,
  input: {
    readonly now: Date;
    readonly claimUntil: string;
    readonly incidentId: string;
    readonly fix: ReportedTry;
    /** Actions that did not help. */
    readonly didNotHelp: readonly ReportedTry[];
    /** Whether Dejavu's answer led to the fix; null if not reported. */
    readonly worked: boolean | null;
    /** Whether a stored resolution is kept; the state is `changed` then. */
    readonly onlyOpen: boolean;
    /** Null when memory stores nothing. */
    readonly observation: ObservationUpdate | null;
    readonly memory: PastAnswer | null;
  },
): Promise<ResolveResult> {
  const { observation, memory } = input;
  return database.call(
    "resolve_incident",
    {
      p: {
        now: input.now.toISOString(),
        claim_until: input.claimUntil,
        incident_id: input.incidentId,
        only_open: input.onlyOpen,
        fix: tryColumns(input.fix),
        did_not_help: input.didNotHelp.map(tryColumns),
        worked: input.worked,
        ...(observation ? { observation: observationColumns(observation) } : {}),
        ...(memory ? { past_answer: pastAnswerRow(memory) } : {}),
      },
    },
    resolveResultSchema,
  );
}

const tryResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("revise"), observation: observationSchema }),
  z.object({ state: z.literal("recorded"), pending: pendingWritesSchema, found: incidentWithHistorySchema }),
]);

export type TryResult =
  | { readonly state: "not_found" }
  /** The try changes the text of this observation. Nothing is stored: call again with it as `revised`. */
  | { readonly state: "revise"; readonly observation: Observation }
  | { readonly state: "recorded"; readonly pending: readonly PendingWrite[]; readonly found: IncidentWithHistory };

/** @throws DependencyError */
export async function storeTry(
  database: Database,
  input: {
    readonly now: Date;
    readonly claimUntil: string;
    readonly incidentId: string;
    readonly attempt: ReportedTry;
    readonly helped: boolean;
    /** The observation of the incident's report; null when memory stores nothing. */
    readonly update: Pick<ObservationUpdate, "observation" | "report"> | null;
    readonly revised: Observation | null;
  },
): Promise<TryResult> {
  const { update, revised } = input;
  return database.call(
    "record_try",
    {
      p: {
        now: input.now.toISOString(),
        claim_until: input.claimUntil,
        incident_id: input.incidentId,
        try: { ...tryColumns(input.attempt), helped: input.helped },
        ...(update ? { row: observationRow(update.observation, update.report) } : {}),
        ...(revised ? { revised: revisedColumns(revised) } : {}),
      },
    },
    tryResultSchema,
  );
}

const recordedFixSchema = z.object({ id: z.string(), observation_id: z.string(), text: z.string() });

/** The text of a recorded fix; null for an unknown id. @throws DependencyError */
export async function fixText(database: Database, id: string): Promise<string | null> {
  const fix = await database.call("get_fix", { p_id: id }, recordedFixSchema.nullable(), { retries: 1 });
  return fix?.text ?? null;
}
