// Enqueues an incident: stores it for a later run with one statement, because the caller does not wait for an answer.

import type { RunInBackground } from "../background-tasks.ts";
import { domainCatalog } from "../knowledge/domain-store.ts";
import { createIncident, type TriageRequest } from "./create-incident.ts";
import { guardRequest } from "./guard-request.ts";
import { recordQueuedIncident } from "./incident-queue.ts";
import type { IncidentRow } from "./incident-records.ts";
import type { IdempotencyKey } from "./run-records.ts";
import type { IncidentServices } from "./services.ts";

export type Receipt =
  | {
      readonly state: "queued" | "known";
      readonly incident: Pick<
        IncidentRow,
        "id" | "session_id" | "status" | "domain" | "domain_rule" | "incident_type" | "incident_type_rule"
      >;
    }
  /** The idempotency key belongs to another request. */
  | { readonly state: "mismatch" };

/** @throws DependencyError when the incident is not stored; the caller must repeat the request */
export async function enqueueIncident(
  services: IncidentServices,
  request: TriageRequest,
  {
    idempotency,
    runInBackground,
  }: { readonly idempotency: IdempotencyKey | null; readonly runInBackground: RunInBackground },
): Promise<Receipt> {
  const { request: guarded, findings } = guardRequest(request);
  const catalog = await domainCatalog(services);
  const incident = createIncident(guarded, { catalog, now: services.now(), newId: services.newId });
  const { lines_removed, redacted } = findings;
  const result = await recordQueuedIncident(services.database, {
    now: services.now(),
    incident,
    scrubbed: { lines_removed, redacted },
    idempotency,
  });
  if (result.state === "mismatch") return result;
  const stored = result.state === "known" ? result.incident : null;
  // After the response: a stored incident is not lost, and a slow queue delays no caller. The first request may have
  // failed before its message was sent, so a repeated one sends it again; the row admits one run.
  if (stored === null || stored.status === "queued") runInBackground(services.enqueueRuns([stored?.id ?? incident.id]));
  if (stored !== null && stored.id !== incident.id) return { state: "known", incident: stored };
  return {
    state: "queued",
    incident: {
      id: incident.id,
      session_id: incident.sessionId,
      status: "queued",
      domain: incident.domain.name,
      domain_rule: incident.domain.rule,
      incident_type: incident.type.name,
      incident_type_rule: incident.type.rule,
    },
  };
}
