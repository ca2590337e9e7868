// Owns the way of an incident that is stored now and investigated later: nobody waits for an answer, so one statement is
// all that stands between the report and its receipt.

import type { RunInBackground } from "../background-tasks.ts";
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
  /** The key stands for another request. */
  | { readonly state: "mismatch" };

/** @throws DependencyError when it could not be stored: then the sender has to try again */
export async function enqueueIncident(
  services: IncidentServices,
  request: TriageRequest,
  {
    idempotency,
    runInBackground,
  }: { readonly idempotency: IdempotencyKey | null; readonly runInBackground: RunInBackground },
): Promise<Receipt> {
  const { request: guarded, findings } = guardRequest(request);
  const incident = createIncident(guarded, services.now(), services.newId);
  const { lines_removed, redacted } = findings;
  const reply = await recordQueuedIncident(services.database, {
    now: services.now(),
    incident,
    scrubbed: { lines_removed, redacted },
    idempotency,
  });
  if (reply.state === "mismatch") return reply;
  const known = reply.state === "known" ? reply.incident : null;
  // Behind the receipt: what is stored is not lost, and a queue that hangs keeps nobody waiting. A report that comes again
  // may be one whose first receipt was lost before it was queued; the row lets one message through.
  if (known === null || known.status === "queued") runInBackground(services.enqueueRuns([known?.id ?? incident.id]));
  if (known !== null && known.id !== incident.id) return { state: "known", incident: known };
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
