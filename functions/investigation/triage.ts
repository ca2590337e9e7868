// Entry points of an investigation run: `triage` for a request that waits for its answer, `investigateStored` for an
// incident that was stored before its run.

import type { RunInBackground } from "../background-tasks.ts";
import { settle } from "../dependencies.ts";
import { createIncident, type TriageRequest } from "../incidents/create-incident.ts";
import { withAlerts } from "../incidents/grouped-alerts.ts";
import type { Guard, GuardedRequest } from "../incidents/guard-request.ts";
import type { QueuedRun } from "../incidents/incident-queue.ts";
import { incidentOf } from "../incidents/incident-records.ts";
import { type IdempotencyKey, type RunStart, renewIdempotencyLease } from "../incidents/run-records.ts";
import type { Incident } from "../schemas/incident.ts";
import { input } from "../telemetry/openinference.ts";
import { setLogContext, withContext } from "../telemetry/request-context.ts";
import { inSpan, inTrace, rootSpanIds } from "../telemetry/span.ts";
import type { Span } from "../telemetry/trace-types.ts";
import { repeat } from "../timers.ts";
import { abandonRun } from "./finish-run.ts";
import { type Investigation, investigate } from "./investigate.ts";
import { pendingReplyOf } from "./pending-triage.ts";
import { requeueRun } from "./requeue-run.ts";
import type { EmitEvent } from "./run/events.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import { createRun } from "./run/run.ts";
import type { TriageOutcome } from "./run/run-outcome.ts";
import { findingAttributes, outcomeAttributes, reportAttributes } from "./run-attributes.ts";

export interface TriageOptions {
  readonly idempotency: IdempotencyKey | null;
  readonly runInBackground: RunInBackground;
  /** Receives events while the run is in progress. */
  readonly emit?: EmitEvent;
  /** Fires when the caller disconnects: requests to models are aborted, and the answer is stored as it is then. */
  readonly cancelled?: AbortSignal;
}

/**
 * Investigates a new incident. A failed run is closed and not retried: the caller gets the error and may repeat the
 * request.
 * @throws RecallUnavailable when neither keywords nor vectors can be searched
 */
export function triage(
  services: InvestigationServices,
  request: TriageRequest,
  options: TriageOptions,
): Promise<TriageOutcome> {
  const { idempotency, runInBackground } = options;
  const pending = pendingReplyOf(services, idempotency);
  if (pending !== undefined) return Promise.resolve(pending);
  return inTrace(services, { name: "triage", runInBackground }, async (span) => {
    const guarded = guardInput(services.guard, request);
    const { catalog } = services.domains.current();
    const reported = createIncident(guarded.request, { catalog, now: services.now(), newId: services.newId });
    const run = createRun(services, options);
    const runStart = runStartOf(reported, run.id, services.now());
    const guardrails = guarded.findings;
    const investigation = {
      reported,
      guardrails,
      run,
      runStart,
      routedBy: catalog,
      isStored: false,
      idempotency,
      runInBackground,
    };
    const context = { incidentId: reported.id };
    const stopRenewals = idempotency === null ? noop : keepIdempotencyLease(services, idempotency, reported.id);
    try {
      return await withContext(context, () => investigateTraced(services, span, investigation));
    } catch (error) {
      // The response does not wait for the failed run to be closed.
      const failed = { error, key: idempotency?.key ?? null, usage: run.usage() };
      runInBackground(withContext(context, () => abandonRun(services, reported, runStart, failed)));
      throw error;
    } finally {
      stopRenewals();
    }
  });
}

function noop(): void {}

/** State after a run of a stored incident: it is answered, queued for its next run, or failed after its last run. */
export type RunEnd = "answered" | "queued" | "failed";

/**
 * Investigates a stored incident, with the restriction of the token that reported it. The database has already started the run. If the run fails, the incident is requeued.
 * @throws DependencyError when the incident of a failed run could not be requeued; the run then stays open until the
 * job `recover-stuck-runs` closes it
 */
export async function investigateStored(
  unrestricted: InvestigationServices,
  { runId, incident, alerts, attempt }: QueuedRun,
  runInBackground: RunInBackground,
): Promise<RunEnd> {
  // A person may have moved the incident to a domain that its reporter may not read.
  const domains = incident.allowed_domains && [...new Set([...incident.allowed_domains, incident.domain])];
  const services = domains === null ? unrestricted : unrestricted.restrictedTo(domains);
  const reported = withAlerts(incidentOf(incident), alerts);
  const run = createRun(services, { id: runId });
  const runStart = runStartOf(reported, runId, services.now());
  const context = { incidentId: reported.id };
  try {
    await inTrace(services, { name: "triage", runInBackground }, (span) => {
      const { findings } = guardInput(services.guard, {
        title: reported.title,
        labels: reported.labels,
        question: reported.question ?? undefined,
        target: reported.target ?? undefined,
        logs: reported.logs ?? undefined,
      });
      // The report was scrubbed when it was stored. Only the findings of that time count what was removed.
      const guardrails = { ...findings, ...incident.guardrails };
      const investigation = {
        reported,
        guardrails,
        run,
        runStart,
        routedBy: null,
        isStored: true,
        idempotency: null,
        runInBackground,
      };
      return withContext(context, () => investigateTraced(services, span, investigation));
    });
    return "answered";
  } catch (error) {
    const failed = { reported, runStart, run, attempt, error };
    return await withContext(context, () => requeueRun(services, failed));
  }
}

function guardInput(guard: Guard, request: TriageRequest): GuardedRequest {
  return inSpan("GUARDRAIL", "guard input", (span) => {
    const guarded = guard.request(request);
    // The span's input is the scrubbed request: the trace must not hold the original.
    span.set(() => ({ ...input(JSON.stringify(guarded.request)), ...findingAttributes(guarded.findings) }));
    return guarded;
  });
}

function runStartOf(incident: Incident, runId: string, now: Date): RunStart {
  return {
    runId,
    sessionId: incident.sessionId,
    startedAt: now,
    query: incident.question ?? incident.title,
  };
}

async function investigateTraced(
  services: InvestigationServices,
  span: Span,
  investigation: Investigation,
): Promise<TriageOutcome> {
  const { reported, guardrails, run } = investigation;
  span.set(() => ({ ...reportAttributes(reported, run.id), ...findingAttributes(guardrails) }));
  setLogContext({ incidentId: reported.id, traceId: rootSpanIds()?.trace_id });
  const outcome = await investigate(services, investigation);
  if (outcome.state === "replayed") setLogContext({ incidentId: outcome.result.incident_id });
  span.set(() => outcomeAttributes(outcome));
  return outcome;
}

/**
 * Renews the lease until it is stopped. Short runs end before the first renewal. A failed renewal has no effect: others
 * cannot take the key over without the database, and `finish_run` stores one run of a key.
 * @returns stops the renewals
 */
function keepIdempotencyLease(
  { database, config, now, startTimer }: Pick<InvestigationServices, "database" | "config" | "now" | "startTimer">,
  { key }: IdempotencyKey,
  incidentId: string,
): () => void {
  const renew = () => void settle(renewIdempotencyLease(database, { key, incidentId, now: now() }));
  return repeat(startTimer, "idempotency_lease", config.IDEMPOTENCY_RENEWAL_MS, renew);
}
