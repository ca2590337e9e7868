// What people do with an incident beside its fix: acknowledge it, own it, correct its title and severity, comment on it.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import type { Severity } from "../../schemas/incident.ts";
import { type IncidentWithHistory, incidentWithHistorySchema } from "../incident-records.ts";
import type { IncidentServices } from "../incident-services.ts";

type EditServices = Pick<IncidentServices, "guard" | "now" | "deliverNotifications"> & { readonly database: Database };

export interface IncidentChanges {
  readonly title?: string | undefined;
  readonly severity?: Severity | undefined;
  /** Null for nobody. */
  readonly owner?: string | null | undefined;
  /** Who acknowledges an incident becomes its owner, unless `owner` names another person. */
  readonly acknowledged?: boolean | undefined;
}

const editResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("resolved"), merged_into: z.string().nullable() }),
  z.object({ state: z.literal("edited"), found: incidentWithHistorySchema }),
]);
/** `resolved`: it cannot be acknowledged, and nothing is stored; the one that it was merged into can. */
export type EditResult = z.infer<typeof editResultSchema>;

/** Each change is an event of the timeline. The texts are guarded. @throws DependencyError */
export async function editIncident(
  { database, guard, now, deliverNotifications }: EditServices,
  request: { readonly incidentId: string; readonly by: string; readonly changes: IncidentChanges },
  runInBackground: RunInBackground,
): Promise<EditResult> {
  const { title, severity, owner, acknowledged } = request.changes;
  const p = {
    now: now().toISOString(),
    incident_id: request.incidentId,
    by: guard.text(request.by),
    changes: {
      ...(title === undefined ? {} : { title: guard.text(title) }),
      ...(severity === undefined ? {} : { severity }),
      ...(owner === undefined ? {} : { owner: owner === null ? null : guard.text(owner) }),
      ...(acknowledged === undefined ? {} : { acknowledged }),
    },
  };
  const result = await database.call("edit_incident", { p }, editResultSchema, { retries: 1 });
  if (result.state === "edited") runInBackground(deliverNotifications());
  return result;
}

/** Adds a guarded comment to the timeline. @returns null for an unknown incident @throws DependencyError */
export async function addComment(
  { database, guard, now }: Pick<EditServices, "database" | "guard" | "now">,
  { incidentId, by, text }: { readonly incidentId: string; readonly by: string; readonly text: string },
): Promise<IncidentWithHistory | null> {
  const p = { now: now().toISOString(), incident_id: incidentId, by: guard.text(by), text: guard.text(text) };
  return database.call("add_comment", { p }, incidentWithHistorySchema.nullable());
}
