// Records that an action was tried in an incident, whether it helped or not. The incident keeps its status.

import type { RunInBackground } from "../../background-tasks.ts";
import { getIncident, type IncidentWithHistory } from "../../incidents/incident-records.ts";
import { storeTry } from "../../incidents/resolution-records.ts";
import type { FixAuthor } from "../../memory/fixes.ts";
import { writeToRecord } from "../../memory/write-to-record.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { withContext } from "../../telemetry/request-context.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { scrubbedTry } from "./resolve-incident.ts";
import { storedReport } from "./stored-report.ts";

export interface TryRequest {
  readonly incidentId: string;
  readonly action: string;
  readonly helped: boolean;
  readonly by: string | null;
  readonly author: FixAuthor;
  /** Versions or conditions of the try. */
  readonly conditions: string | null;
  /** A recorded fix that was applied again. */
  readonly fixId: string | null;
}

/**
 * Adds a try to the proof of a fix.
 * @returns the incident, or null for an unknown id
 * @throws DependencyError when the database failed, or the record changed during every attempt
 */
export function recordTry(
  services: InvestigationServices,
  request: TryRequest,
  runInBackground: RunInBackground,
): Promise<IncidentWithHistory | null> {
  return withContext({ incidentId: request.incidentId.toLowerCase() }, async () => {
    const { incidentId, helped } = request;
    const current = await getIncident(services.database, incidentId);
    if (!current) return null;
    const attempt = scrubbedTry(services, { ...request, text: request.action });
    const now = services.now();
    const update = storedReport(current, { now, config: services.config })?.update ?? null;
    return writeToRecord(async ([revised = null]) => {
      const input = { now, claimUntil: claimUntil(services), incidentId, attempt, helped, update, revised };
      const result = await storeTry(services.database, input);
      if (result.state === "not_found") return null;
      if (result.state === "recorded") {
        runInBackground(flushOutbox(services, result.pending));
        return result.found;
      }
      return { state: "revise", observations: [result.observation] };
    });
  });
}
