// Merging of two incidents, and splitting of one.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { incidentWithHistorySchema } from "../incident-records.ts";
import type { IncidentServices } from "../incident-services.ts";

type MergeServices = Pick<IncidentServices, "guard" | "now" | "newId" | "deliverNotifications" | "enqueueRuns"> & {
  readonly database: Database;
};

const mergedSchema = z.discriminatedUnion("state", [
  z.object({ state: z.enum(["not_found", "other_not_found", "resolved"]) }),
  z.object({ state: z.literal("merged_before"), into: z.string() }),
  z.object({ state: z.literal("merged"), found: incidentWithHistorySchema }),
]);

/**
 * Merges an incident into another one, which then has its alerts and their repeats. Repeating it changes nothing.
 * @returns the other incident, or why nothing was stored: `resolved`, if the other one is resolved and this one is open
 * @throws DependencyError
 */
export async function mergeIncidents(
  { database, guard, now, deliverNotifications }: MergeServices,
  { incidentId, into, by }: { readonly incidentId: string; readonly into: string; readonly by: string },
  runInBackground: RunInBackground,
): Promise<z.infer<typeof mergedSchema>> {
  const p = { now: now().toISOString(), incident_id: incidentId, into, by: guard.text(by) };
  const merged = await database.call("merge_incidents", { p }, mergedSchema, { retries: 1 });
  if (merged.state === "merged") runInBackground(deliverNotifications());
  return merged;
}

const splitSchema = z.discriminatedUnion("state", [
  z.object({ state: z.enum(["not_found", "no_alerts", "all_alerts"]) }),
  z.object({ state: z.literal("split"), found: incidentWithHistorySchema }),
]);

export interface SplitRequest {
  readonly incidentId: string;
  readonly by: string;
  /** The alerts that go: those with one of these fingerprints or targets. */
  readonly fingerprints: readonly string[];
  readonly targets: readonly string[];
}

/**
 * Gives alerts of an incident one of their own, which is investigated. Repeating it changes nothing.
 * @returns the new incident, or why nothing was stored @throws DependencyError
 */
export async function splitIncident(
  { database, guard, now, newId, deliverNotifications, enqueueRuns }: MergeServices,
  { incidentId, by, fingerprints, targets }: SplitRequest,
  runInBackground: RunInBackground,
): Promise<z.infer<typeof splitSchema>> {
  const ids = { incident_id: incidentId, new_id: newId(), session_id: newId() };
  const p = {
    ...{ ...ids, now: now().toISOString(), by: guard.text(by) },
    ...{ fingerprints: [...fingerprints], targets: [...targets] },
  };
  const split = await database.call("split_incident", { p }, splitSchema, { retries: 1 });
  if (split.state === "split") {
    if (split.found.incident.status === "queued") runInBackground(enqueueRuns([split.found.incident.id]));
    runInBackground(deliverNotifications());
  }
  return split;
}
