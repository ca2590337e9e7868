// Corrections of an incident by people: it is reopened, or belongs to another domain. Memory follows.

import type { Redact } from "../../../lib/redaction/redact.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { type CorrectionResult, correctDomain, reopenIncident } from "../../incidents/detail/corrections.ts";
import { CORRECTED_BY, getIncident, type IncidentWithHistory } from "../../incidents/incident-records.ts";
import { LOST, writeToRecord } from "../../memory/write-to-record.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { withContext } from "../../telemetry/request-context.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { pastAnswerOf } from "./create-memory-updates.ts";
import { describeRecord, type RecordRow } from "./describe-record.ts";
import { separate } from "./merge-records.ts";
import { storedReport } from "./stored-report.ts";

export interface Reopened {
  /** `open`: it is not resolved, and nothing is stored. */
  readonly state: "reopened" | "open";
  readonly record: IncidentWithHistory;
}

/**
 * Opens a resolved incident again. Its fix stays on record as one that helped and came back, unless the resolution was a mistake.
 * @returns null for an unknown id @throws DependencyError
 */
export function reopen(
  services: InvestigationServices,
  request: {
    readonly incidentId: string;
    readonly reason: string | null;
    readonly by: string | null;
    readonly mistake: boolean;
  },
  runInBackground: RunInBackground,
): Promise<Reopened | null> {
  const { incidentId, mistake } = request;
  return withContext({ incidentId: incidentId.toLowerCase() }, async (): Promise<Reopened | null> => {
    const { database, config } = services;
    const now = services.now();
    const current = await getIncident(database, incidentId);
    if (!current) return null;
    const report = storedReport(current, { now, config });
    // It began with the fix.
    const memory = report?.result ? pastAnswerOf(report.incident, report.result, { now, config }) : null;
    const texts = { reason: scrubbed(services.redact, request.reason), by: scrubbed(services.redact, request.by) };
    const reopening = { now, claimUntil: claimUntil(services), incidentId, memory, mistake, ...texts };
    const result = await writeToRecord((revised) => reopenIncident(database, { ...reopening, revised }));
    if (result.state === "not_found") return null;
    if (result.state === "open") return { state: "open", record: result.found };
    runInBackground(flushOutbox(services, result.pending));
    runInBackground(services.deliverNotifications());
    const { merged_into } = current.incident;
    if (merged_into === null) return { state: "reopened", record: result.found };
    const into = await getIncident(database, merged_into);
    await separate(services, { merged: result.found, into }, runInBackground);
    return { state: "reopened", record: (await getIncident(database, incidentId)) ?? result.found };
  });
}

/**
 * Moves an incident to another domain, with its memory. Later runs keep the domain.
 * @returns null for an unknown id
 * @throws DependencyError when the database failed, or the record changed during every attempt
 */
export function moveToDomain(
  services: InvestigationServices,
  request: { readonly incidentId: string; readonly domain: string; readonly by: string | null },
  runInBackground: RunInBackground,
): Promise<IncidentWithHistory | null> {
  const { incidentId, domain } = request;
  return withContext({ incidentId: incidentId.toLowerCase() }, async () => {
    const by = scrubbed(services.redact, request.by);
    const now = services.now();
    const correction = {
      now,
      claimUntil: claimUntil(services),
      incidentId,
      domain,
      by,
      rule: `${CORRECTED_BY} ${by ?? "a person"}`,
      newId: services.newId(),
    };
    let row: RecordRow | null = null;
    return writeToRecord(async (revised) => {
      const result: CorrectionResult = await correctDomain(services.database, { ...correction, row, revised });
      if (result.state === "not_found") return null;
      if (result.state === "revise") return result;
      if (result.state === "corrected") {
        runInBackground(flushOutbox(services, result.pending));
        return result.found;
      }
      if (result.state === "describe") row = describeRecord(result.found, { now, config: services.config });
      return LOST;
    });
  });
}

function scrubbed(redact: Redact, text: string | null): string | null {
  return text === null ? null : redact(text).text;
}
