// Resolution of an incident whose fix waited in the queue while the database was unavailable.

import type { RunInBackground } from "../../background-tasks.ts";
import { getIncident } from "../../incidents/incident-records.ts";
import type { BufferedWrite } from "../../write-buffer.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { recordTry } from "./record-try.ts";
import { scrubbedResolutionSchema, storeResolution } from "./resolve-incident.ts";

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
  const { resolution, resolved_at, resolved_by_caller } = current.incident;
  const isResolved = resolution !== null && resolved_at !== null;
  const isNewer = isResolved && new Date(resolved_at).getTime() >= reportedAt.getTime();
  if (isNewer && resolved_by_caller === fix.author.caller) return "superseded";
  if (!isNewer) {
    const resolved = await storeResolution(services, scrubbed, { now: () => reportedAt, runInBackground });
    if (resolved === null) return null;
    if (resolved.state === "kept") return "superseded";
    if (resolved.state !== "of_another") return "stored";
  }
  const attempt = { ...fix, incidentId, action: fix.text, helped: true };
  return (await recordTry(services, attempt, runInBackground)) === null ? null : "stored";
}
