// Enqueues an incident: stores it for a later run with one statement, because the caller does not wait for an answer.

import type { z } from "zod";
import type { RunInBackground } from "../background-tasks.ts";
import { domainCatalog } from "../knowledge/domain-store.ts";
import type { Incident } from "../schemas/incident.ts";
import { bufferedWrite, storeOrBuffer } from "../write-buffer.ts";
import { createIncident, type TriageRequest } from "./create-incident.ts";
import { type EnqueueResult, queuedIncidentArguments, recordQueuedIncident } from "./incident-queue.ts";
import { incidentRowSchema } from "./incident-records.ts";
import type { IncidentServices } from "./incident-services.ts";
import type { IdempotencyKey } from "./run-records.ts";

const receiptRowSchema = incidentRowSchema.pick({
  id: true,
  session_id: true,
  status: true,
  domain: true,
  domain_rule: true,
  incident_type: true,
  incident_type_rule: true,
});
type ReceiptRow = z.infer<typeof receiptRowSchema>;

export type Receipt =
  /** `pending`: the database is unavailable; the queue keeps the report. `isRepeated`: of an earlier request. */
  | { readonly state: "pending"; readonly incident: ReceiptRow; readonly isRepeated: boolean }
  | { readonly state: "queued" | "known"; readonly incident: ReceiptRow }
  /** The idempotency key belongs to another request. */
  | { readonly state: "mismatch" }
  /** Too many incidents of the reporter wait; nothing is stored. */
  | { readonly state: "full" };

/** @throws DependencyError when the incident is neither stored nor buffered; the caller must repeat the request */
export async function enqueueIncident(
  services: IncidentServices,
  request: TriageRequest,
  {
    idempotency,
    runInBackground,
  }: { readonly idempotency: IdempotencyKey | null; readonly runInBackground: RunInBackground },
): Promise<Receipt> {
  const pending = idempotency === null ? undefined : services.pendingReplies.get(idempotency.key);
  if (pending !== undefined) {
    return pending.requestHash === idempotency?.requestHash
      ? { state: "pending", incident: receiptRowSchema.parse(pending.reply), isRepeated: true }
      : { state: "mismatch" };
  }
  const { request: guarded, findings } = services.guard.request(request);
  const catalog = await domainCatalog(services);
  const incident = createIncident(guarded, { catalog, now: services.now(), newId: services.newId });
  const { lines_removed, redacted } = findings;
  const scrubbed = { lines_removed, redacted };
  const args = queuedIncidentArguments({
    now: services.now(),
    incident,
    scrubbed,
    idempotency,
    waitingLimit: services.config.MAX_WAITING_INCIDENTS,
  });
  return storeOrBuffer<Receipt>(services, {
    writes: () => [bufferedWrite("report", { at: incident.createdAt, subject: incident.id, args: args.p })],
    store: async () => {
      const result = await recordQueuedIncident(services.database, args);
      return receiptOf(services, incident, { result, runInBackground });
    },
    pending: () => {
      const reply = queuedRow(incident);
      if (idempotency !== null)
        services.pendingReplies.set(idempotency.key, { requestHash: idempotency.requestHash, reply });
      return { state: "pending", incident: reply, isRepeated: false };
    },
  });
}

function receiptOf(
  services: IncidentServices,
  incident: Incident,
  { result, runInBackground }: { readonly result: EnqueueResult; readonly runInBackground: RunInBackground },
): Receipt {
  if (result.state === "mismatch" || result.state === "full") return result;
  const stored = result.state === "known" ? result.incident : null;
  // After the response: a stored incident is not lost, and a slow queue delays no caller. The first request may have
  // failed before its message was sent, so a repeated one sends it again; the row admits one run.
  if (stored === null || stored.status === "queued") runInBackground(services.enqueueRuns([stored?.id ?? incident.id]));
  if (stored !== null && stored.id !== incident.id) return { state: "known", incident: stored };
  return { state: "queued", incident: queuedRow(incident) };
}

function queuedRow(incident: Incident): ReceiptRow {
  return {
    id: incident.id,
    session_id: incident.sessionId,
    status: "queued",
    domain: incident.domain.name,
    domain_rule: incident.domain.rule,
    incident_type: incident.type.name,
    incident_type_rule: incident.type.rule,
  };
}
