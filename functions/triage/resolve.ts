// Owns the end of an incident: what fixed it is stored, and its memory is written anew with the resolution.

import { redact } from "../guardrails/redact.ts";
import { incidentDocument } from "../memory/incident.ts";
import { getIncident, type IncidentWithHistory, resolveIncident } from "../memory/incident-log.ts";
import { claimedWrite, remember } from "./remember.ts";
import { rememberedAnalysis } from "./render.ts";
import { triageResultSchema } from "./result.ts";
import type { RunInBackground, TriageServices } from "./services.ts";

/** @returns the resolved incident, or null when there is none of that id. @throws OutsideError */
export async function resolve(
  services: TriageServices,
  request: { readonly incidentId: string; readonly resolution: string; readonly resolvedBy: string | null },
  runInBackground: RunInBackground,
): Promise<IncidentWithHistory | null> {
  const { incidentId } = request;
  const resolution = redact(request.resolution).text;
  const resolvedBy = request.resolvedBy === null ? null : redact(request.resolvedBy).text;
  const found = await getIncident(services.database, incidentId);
  if (!found) return null;

  const now = services.now();
  const { incident } = found;
  const document = incidentDocument(
    { ...incident, createdAt: new Date(incident.created_at), incidentType: incident.incident_type },
    analysisOf(found.triage, services.config),
    { text: resolution, by: resolvedBy, at: now },
  );
  const memory = claimedWrite(services, { domain: incident.domain, document, now });
  const resolved = await resolveIncident(services.database, { now, incidentId, resolution, resolvedBy, memory });
  if (!resolved) return null;
  runInBackground(remember(services, { ...memory, outboxId: resolved.outboxId, incidentId }));
  return resolved.found;
}

/** The analysis that was remembered with the triage; an incident whose triage never finished has none. */
function analysisOf(triage: unknown, config: TriageServices["config"]): string {
  const parsed = triageResultSchema.pick({ answer: true, outcome: true, confidence: true }).safeParse(triage);
  return parsed.success ? rememberedAnalysis(parsed.data, config) : "";
}
