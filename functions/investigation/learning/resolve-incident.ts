// Resolution of an incident: stores the fix on the incident, its observation and its past answer in one transaction.

import { z } from "zod";
import type { RunInBackground } from "../../background-tasks.ts";
import { getIncident, type IncidentWithHistory } from "../../incidents/incident-records.ts";
import { recordResolution } from "../../incidents/resolution-records.ts";
import { type FixAuthor, type ReportedTry, recordedText, reportedTrySchema } from "../../memory/fixes.ts";
import type { ObservationUpdate } from "../../memory/memory-updates.ts";
import type { Observation } from "../../memory/observation.ts";
import type { PastAnswer } from "../../memory/past-answers.ts";
import { readRecallState } from "../../memory/recall-state.ts";
import { LOST, writeToRecord } from "../../memory/write-to-record.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { withContext } from "../../telemetry/request-context.ts";
import { bufferedWrite, storeOrBuffer } from "../../write-buffer.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { pastAnswerOf, withFix } from "./create-memory-updates.ts";
import { type StoredReport, storedReport } from "./stored-report.ts";
import { reportedFacts } from "./summarise-triage.ts";

export interface ResolveRequest {
  readonly incidentId: string;
  readonly resolution: string;
  readonly resolvedBy: string | null;
  readonly author: FixAuthor;
  /** Versions or conditions under which the fix helps. */
  readonly conditions?: string | null;
  /** A recorded fix that was applied again. */
  readonly fixId?: string | null;
  /** Actions that were tried and did not help. */
  readonly didNotHelp?: readonly string[];
  /** Whether Dejavu's answer led to the fix; null if not reported. */
  readonly worked: boolean | null;
  /** An incident that has a fix keeps it, also one of the same moment. One that was merged gets none. */
  readonly onlyOpen?: boolean;
}

/** An incident after a request to resolve it. */
export type Resolved = RecordedResolution | BufferedResolution;

export interface RecordedResolution {
  /**
   * - `replaced`: it had a fix of this author before, or the author is an admin
   * - `kept`: it has a fix already, and keeps it; or it was merged
   * - `of_another`: the same, since another caller recorded it
   */
  readonly state: "recorded" | "replaced" | "kept" | "of_another";
  readonly record: IncidentWithHistory;
  /** The fix that was replaced; null without one. It stays on record as a former one. */
  readonly former: string | null;
}

interface BufferedResolution {
  /** The database is unavailable; the queue keeps the fix until it is back. */
  readonly state: "pending";
}

/**
 * Records the fix of an incident; it replaces an earlier one of the same author. The vector index follows in a background
 * task. While the database is unavailable, the fix waits in the queue.
 * @returns null for an unknown id
 * @throws DependencyError when the database failed, or the record changed during every attempt
 */
export async function resolveIncident(
  services: InvestigationServices,
  request: ResolveRequest,
  runInBackground: RunInBackground,
): Promise<Resolved | null> {
  const { worked, author, onlyOpen = false, didNotHelp = [], resolvedBy: by } = request;
  const scrubbed: ScrubbedResolution = {
    incident_id: request.incidentId.toLowerCase(),
    fix: scrubbedTry(services, { ...request, text: request.resolution, by }),
    did_not_help: didNotHelp.map((text) => scrubbedTry(services, { text, by, author })),
    worked,
    only_open: onlyOpen,
  };
  const at = services.now();
  return withContext({ incidentId: scrubbed.incident_id }, () =>
    storeOrBuffer<Resolved | null>(services, {
      writes: () => [bufferedWrite("resolution", { at, subject: scrubbed.incident_id, args: scrubbed })],
      store: () => storeResolution(services, scrubbed, { now: services.now, runInBackground }),
      pending: () => ({ state: "pending" }),
    }),
  );
}

/** The scrubbed request, as it waits in the queue. */
export const scrubbedResolutionSchema = z.object({
  incident_id: z.string(),
  fix: reportedTrySchema,
  did_not_help: z.array(reportedTrySchema),
  worked: z.boolean().nullable(),
  only_open: z.boolean(),
});
type ScrubbedResolution = z.infer<typeof scrubbedResolutionSchema>;

/** @returns null for an unknown id @throws DependencyError */
export async function storeResolution(
  services: InvestigationServices,
  { incident_id: incidentId, fix, did_not_help, worked, only_open: onlyOpen }: ScrubbedResolution,
  { now: clock, runInBackground }: { readonly now: () => Date; readonly runInBackground: RunInBackground },
): Promise<RecordedResolution | null> {
  return writeToRecord(async () => {
    const current = await getIncident(services.database, incidentId);
    if (!current) return null;
    if (onlyOpen && isClosed(current)) return { state: "kept", record: current, former: null };
    const now = clock();
    const result = await recordResolution(services.database, {
      now,
      claimUntil: claimUntil(services),
      incidentId,
      fix,
      didNotHelp: did_not_help,
      worked,
      onlyOpen,
      ...(await memoryUpdateOf(services, current, { fix, worked, now })),
    });
    if (result.state === "not_found") return null;
    if (result.state === "of_another") return { state: "of_another", record: result.found, former: null };
    if (result.state === "resolved") {
      runInBackground(flushOutbox(services, result.pending));
      runInBackground(services.deliverNotifications());
      for (const merged of ofMerged(services, result.found, fix))
        await storeResolution(services, merged, { now: clock, runInBackground });
      const former = current.incident.resolution === fix.text ? null : current.incident.resolution;
      return { state: former === null ? "recorded" : "replaced", record: result.found, former };
    }
    return LOST;
  });
}

/** The end of its alerts resolves an incident, and says nothing of what fixed it. */
export function isClosed({ incident: { resolution, status, merged_into } }: IncidentWithHistory): boolean {
  return merged_into !== null || (status === "resolved" && resolution !== null);
}

/**
 * The resolutions of the incidents that were merged into one. They ended with the same fix, and the record of their failure
 * shows it, too.
 */
export function ofMerged(
  { newId }: Pick<InvestigationServices, "newId">,
  { merged_ids }: Pick<IncidentWithHistory, "merged_ids">,
  fix: ReportedTry,
): ScrubbedResolution[] {
  return merged_ids.map((id) => ({
    incident_id: id,
    fix: { ...fix, id: newId(), fixId: null },
    did_not_help: [],
    worked: null,
    only_open: false,
  }));
}

/** An action as a person reports it, redacted. */
export function scrubbedTry(
  { redact, newId }: Pick<InvestigationServices, "redact" | "newId">,
  input: {
    readonly text: string;
    readonly by: string | null;
    readonly author: FixAuthor;
    readonly conditions?: string | null;
    readonly fixId?: string | null;
  },
): ReportedTry {
  const scrub = (text: string | null | undefined) => (text ? redact(text).text : null);
  return {
    id: newId(),
    text: redact(input.text).text,
    by: scrub(input.by),
    conditions: scrub(input.conditions),
    fixId: input.fixId ?? null,
    author: input.author,
  };
}

interface ReportedFix {
  readonly fix: ReportedTry;
  readonly worked: boolean | null;
  readonly now: Date;
}

/** The observation and the past answer with the fix; both null when memory does not hold the incident. */
async function memoryUpdateOf(
  services: InvestigationServices,
  current: IncidentWithHistory,
  reported: ReportedFix,
): Promise<{ readonly observation: ObservationUpdate | null; readonly memory: PastAnswer | null }> {
  const { config, database } = services;
  const { fix, worked, now } = reported;
  const report = storedReport(current, { now, config });
  if (report === null) return { observation: null, memory: null };
  const { incident, result, update } = report;
  const ids = {
    domain: incident.domain.name,
    incidents: [],
    excludedDomains: [],
    pastAnswers: [],
    procedures: [],
    fingerprint: update.report.fingerprint,
  };
  // Without its own observation, the incident may repeat a failure that another incident stored.
  const existing = current.observation ?? (await readRecallState(database, ids)).repeatOf;
  const observation = observationWithFix(report, existing, reported);
  const resolved = { ...update, observation, replaces: existing, repeatOf: existing?.id ?? null };
  if (result === null) return { observation: resolved, memory: null };
  return { observation: resolved, memory: withFix(pastAnswerOf(incident, result, { now, config }), fix, worked) };
}

function observationWithFix(
  { incident, update }: StoredReport,
  existing: Observation | null,
  { fix, worked, now }: ReportedFix,
): Observation {
  const reported = update.observation;
  // An earlier resolution reported `worked: false`. Unless this one does too, the summary of the answer is restored.
  const hasRemovedSummary = existing?.narrative === DID_NOT_HELP;
  const base = existing === null ? reported : hasRemovedSummary ? { ...existing, ...summaryOf(reported) } : existing;
  return {
    ...base,
    // The answer was wrong, so only the report and the fix remain.
    ...(worked === false ? { title: reported.title, narrative: DID_NOT_HELP, facts: reportedFacts(incident) } : {}),
    resolution: { text: recordedText(base.fixes, fix), by: fix.by, at: now },
  };
}

/** Stored narrative of an observation whose answer did not help. A later resolution recognises it by this text. */
export const DID_NOT_HELP = "The answer that was given then did not help.";

function summaryOf({ narrative, facts }: Observation): Pick<Observation, "narrative" | "facts"> {
  return { narrative, facts };
}
