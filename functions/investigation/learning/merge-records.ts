// The records of incidents that people merge and part again: what was one failure at the time is one in memory.

import type { RunInBackground } from "../../background-tasks.ts";
import { mergeIncidents, type SplitRequest, splitIncident } from "../../incidents/detail/merge.ts";
import { getIncident, type IncidentWithHistory } from "../../incidents/incident-records.ts";
import { getObservation } from "../../incidents/observation-detail.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { joinObservations, splitObservation } from "./correct-record.ts";

/**
 * Merges an incident into another one, and joins their records if they are of one domain. Repeating it changes nothing.
 * @returns as `mergeIncidents` @throws DependencyError; then the records may be joined, and a repetition merges the incidents
 */
export async function mergeWithRecords(
  services: InvestigationServices,
  request: { readonly incidentId: string; readonly into: string; readonly by: string },
  runInBackground: RunInBackground,
): ReturnType<typeof mergeIncidents> {
  const { database } = services;
  const [from, into] = await Promise.all([
    getIncident(database, request.incidentId),
    getIncident(database, request.into),
  ]);
  const [observationId, otherId] = [into?.observation?.id, from?.observation?.id];
  // Before the merge, which counts both reports of a record as one.
  if (from && into && canMerge(from, into) && observationId && otherId && observationId !== otherId)
    await joinObservations(services, { observationId, otherId, reason: null }, runInBackground);
  return mergeIncidents(services, request, runInBackground);
}

/** As the SQL function `merge_incidents` decides. */
function canMerge({ incident: from }: IncidentWithHistory, { incident: into }: IncidentWithHistory): boolean {
  const isOpenIntoResolved = into.status === "resolved" && from.status !== "resolved";
  return from.merged_into === null && into.merged_into === null && !isOpenIntoResolved;
}

/**
 * Gives alerts of an incident one of their own. If an incident was merged into it with these alerts, its record is separated.
 * @returns as `splitIncident` @throws DependencyError
 */
export async function splitWithRecords(
  services: InvestigationServices,
  request: SplitRequest,
  runInBackground: RunInBackground,
): ReturnType<typeof splitIncident> {
  const split = await splitIncident(services, request, runInBackground);
  if (split.state !== "split") return split;
  const { database } = services;
  const old = await getIncident(database, request.incidentId);
  const merged = await Promise.all(mergedIds(old).map((id) => getIncident(database, id)));
  const { title, target } = split.found.incident;
  // The report of an incident is that of its first alert.
  for (const each of merged)
    if (each?.incident.title === title && each.incident.target === target)
      await separate(services, { merged: each, into: old }, runInBackground);
  return split;
}

function mergedIds(record: IncidentWithHistory | null): string[] {
  const ids = (record?.events ?? []).flatMap(({ kind, detail }) =>
    kind === "merged" ? [String(detail.incident)] : [],
  );
  return [...new Set(ids)];
}

/**
 * Gives the failure of an incident that was merged its own record again, with the newest 50 reports of it. Does nothing if the
 * incidents had one record before.
 * @throws DependencyError
 */
export async function separate(
  services: InvestigationServices,
  request: {
    readonly merged: IncidentWithHistory;
    readonly into: IncidentWithHistory | null;
  },
  runInBackground: RunInBackground,
): Promise<void> {
  const { merged, into } = request;
  const id = merged.observation?.id;
  if (id === undefined || into?.observation?.id !== id) return;
  const record = await getObservation(services.database, id);
  const reports = record?.incidents.latest ?? [];
  const fingerprint = reports.find((each) => each.id === merged.incident.id)?.fingerprint;
  const incidentIds = reports.flatMap((each) => (each.fingerprint === fingerprint ? [each.id] : []));
  // A record has the id of one of its reports.
  if (fingerprint === undefined || !incidentIds.some((each) => record?.joined_ids.includes(each))) return;
  await splitObservation(services, { observationId: id, incidentIds, reason: null }, runInBackground);
}
