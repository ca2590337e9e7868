// Resolution of an incident whose fix waited in the queue while the database was unavailable.

import type { RunInBackground } from "../../background-tasks.ts";
import { getIncident, type IncidentWithHistory } from "../../incidents/incident-records.ts";
import type { BufferedWrite } from "../../write-buffer.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { recordTry } from "./record-try.ts";
import { ofMerged, scrubbedResolutionSchema, storeResolution } from "./resolve-incident.ts";

/**
 * Records the fix as of the time when it was reported. If another caller has resolved the incident meanwhile, it is
 * recorded beside theirs as an action that helped.
 * @returns `superseded` if the incident has this or a newer resolution of the same caller; null for an unknown id
 * @throws DependencyError
 */
export async function resolveBuffered(
  services: InvestigationServices,
  { at, args }: Pick<BufferedWrite, "at" | "args">,
  runInBackground: RunInBackground,
): Promise<"stored" | "superseded" | null> {
  const scrubbed = scrubbedResolutionSchema.parse(args);
  const { incident_id: incidentId, fix } = scrubbed;
  const reportedAt = new Date(at);
  const current = await getIncident(services.database, incidentId);
  if (current === null) return null;
  const options = { now: () => reportedAt, runInBackground };
  const isNewer = isResolvedSince(reportedAt, current);
  if (isNewer && current.incident.resolved_by_caller === fix.author.caller) {
    // The database may have failed after this resolution, and before those of the merged incidents.
    for (const merged of ofMerged(services, current, fix)) {
      const own = await getIncident(services.database, merged.incident_id);
      if (own !== null && !isResolvedSince(reportedAt, own)) await storeResolution(services, merged, options);
    }
    return "superseded";
  }
  if (!isNewer) {
    const resolved = await storeResolution(services, scrubbed, options);
    if (resolved === null) return null;
    if (resolved.state === "kept") return "superseded";
    if (resolved.state !== "of_another") return "stored";
  }
  const attempt = { ...fix, incidentId, action: fix.text, helped: true };
  return (await recordTry(services, attempt, runInBackground)) === null ? null : "stored";
}

function isResolvedSince(time: Date, { incident }: IncidentWithHistory): boolean {
  const { resolution, resolved_at } = incident;
  return resolution !== null && resolved_at !== null && new Date(resolved_at).getTime() >= time.getTime();
}
