// Stores an incident of a family as a past incident.

import { resolveIncident } from "../../functions/investigation/learning/resolve-incident.ts";
import { triage } from "../../functions/investigation/triage.ts";
import type { Services } from "../../functions/services.ts";
import type { FamilyIncident } from "./incident-families.ts";

/** Triages and resolves it. @returns the incident's id */
export async function storePastIncident(services: Services, { report, fix }: FamilyIncident): Promise<string> {
  const background: Promise<unknown>[] = [];
  const runInBackground = (work: Promise<unknown>) => void background.push(work);
  const outcome = await triage(services, report, { idempotency: null, runInBackground });
  await Promise.all(background);
  if (outcome.state !== "answered") throw new Error(`The triage of "${report.title}" ended as ${outcome.state}.`);
  const { incident_id: incidentId } = outcome.result;
  await resolveIncident(
    services,
    { incidentId, resolution: fix, resolvedBy: "on-call", worked: null, author: { caller: "service", isAdmin: true } },
    runInBackground,
  );
  await Promise.all(background);
  return incidentId;
}
