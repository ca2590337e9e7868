// The investigation on one page: guard → begin → classify → recall → rerank → answer → persist → remember. A step that fails is
// named in the warnings; only when nothing can be searched is there no answer.

import type { RunInBackground } from "../background-tasks.ts";
import { createIncident, type TriageRequest } from "../incidents/create-incident.ts";
import { withAlerts } from "../incidents/grouped-alerts.ts";
import {
  type GuardedRequest,
  type GuardFindings,
  guardRequest,
  scrubOutput,
  scrubRecalled,
} from "../incidents/guard-request.ts";
import type { QueuedRun } from "../incidents/incident-queue.ts";
import { incidentOf } from "../incidents/incident-records.ts";
import type { IdempotencyKey, RunStart } from "../incidents/run-records.ts";
import { benignReason } from "../knowledge/domains/benign-alerts.ts";
import type { Incident } from "../schemas/incident.ts";
import { input } from "../telemetry/openinference.ts";
import { setLogContext, withContext } from "../telemetry/request-context.ts";
import { inSpan, inTrace, traceOf } from "../telemetry/span.ts";
import type { Span } from "../telemetry/trace-types.ts";
import { type AnswerResult, answer } from "./answer/answer.ts";
import { createBenignAnswer, createBlockedAnswer } from "./answer/extractive-answer.ts";
import { buildResult, recallEvent } from "./build-result.ts";
import { classify } from "./classify.ts";
import { abandonRun, type FinishedInvestigation, persistAndIndex, runStartOf, startRun } from "./persist.ts";
import { recall } from "./recall/recall.ts";
import { NOTHING_RECALLED, type Recall } from "./recall/recall-result.ts";
import { rerank } from "./recall/rerank.ts";
import { requeueRun } from "./requeue-run.ts";
import type { EmitEvent } from "./run/events.ts";
import { createRun, type Run } from "./run/run.ts";
import type { StartedRun, TriageOutcome } from "./run/run-outcome.ts";
import type { InvestigationServices } from "./run/services.ts";
import { recallWarning } from "./run/warnings.ts";
import { findingAttributes, outcomeAttributes, removedAttributes, reportAttributes } from "./run-attributes.ts";

export interface TriageOptions {
  readonly idempotency: IdempotencyKey | null;
  readonly runInBackground: RunInBackground;
  /** Gets what happens on the way. */
  readonly emit?: EmitEvent;
  /** Fires when nobody waits any more: models stop, and what is known by then is stored. */
  readonly cancelled?: AbortSignal;
}

/** @throws RecallUnavailable when neither keywords nor vectors can be searched */
export function triage(
  services: InvestigationServices,
  request: TriageRequest,
  options: TriageOptions,
): Promise<TriageOutcome> {
  const { runInBackground } = options;
  return inTrace(services, { name: "triage", runInBackground }, async (span) => {
    const guarded = guard(request);
    const reported = createIncident(guarded.request, services.now(), services.newId);
    const run = createRun(services, options);
    const episode = runStartOf(reported, run.id, services.now());
    const task = { span, reported, guardrails: guarded.findings, run, episode, isStored: false };
    try {
      return await withContext({ incidentId: reported.id }, () => carryOut(services, task, options));
    } catch (error) {
      // A run that came to nothing is closed in the log; the caller's error does not wait for that.
      const key = options.idempotency?.key ?? null;
      const end = { error, key, usage: run.usage() };
      const context = { incidentId: reported.id };
      runInBackground(withContext(context, () => abandonRun(services, reported, episode, end)));
      throw error;
    }
  });
}

/** What became of a run of a stored incident: answered, to be tried again, or given up. */
export type RunEnd = "answered" | "queued" | "failed";

/**
 * Investigates a stored incident as the run that the database has begun for it. A run that comes to nothing is given
 * back; where that cannot be written down, it stays open for the sweep to find.
 * @throws DependencyError when a run that came to nothing could not be given back
 */
export async function investigateStored(
  services: InvestigationServices,
  { runId, incident, alerts, attempt }: QueuedRun,
  runInBackground: RunInBackground,
): Promise<RunEnd> {
  const reported = withAlerts(incidentOf(incident), alerts);
  const run = createRun(services, { id: runId });
  const episode = runStartOf(reported, runId, services.now());
  try {
    await inTrace(services, { name: "triage", runInBackground }, (span) => {
      const { findings } = guard({
        title: reported.title,
        labels: reported.labels,
        question: reported.question ?? undefined,
        target: reported.target ?? undefined,
        logs: reported.logs ?? undefined,
      });
      // It was scrubbed before it was stored; what was found then is what there was.
      const guardrails = { ...findings, ...incident.guardrails };
      const task = { span, reported, guardrails, run, episode, isStored: true };
      return withContext({ incidentId: reported.id }, () =>
        carryOut(services, task, { idempotency: null, runInBackground }),
      );
    });
    return "answered";
  } catch (error) {
    const failed = { reported, episode, run, attempt, error };
    return await withContext({ incidentId: reported.id }, () => requeueRun(services, failed));
  }
}

interface Task {
  /** The investigation's. */
  readonly span: Span;
  readonly reported: Incident;
  readonly guardrails: GuardFindings;
  readonly run: Run;
  readonly episode: RunStart;
  /** Whether the incident was accepted before, to be investigated now. */
  readonly isStored: boolean;
}

function guard(request: TriageRequest): GuardedRequest {
  return inSpan("GUARDRAIL", "guard input", (span) => {
    const guarded = guardRequest(request);
    // Still what came in, though it comes out of the guard.
    span.set(() => ({ ...input(JSON.stringify(guarded.request)), ...findingAttributes(guarded.findings) }));
    return guarded;
  });
}

async function carryOut(
  services: InvestigationServices,
  { span, reported, guardrails, run, episode, isStored }: Task,
  options: TriageOptions,
): Promise<TriageOutcome> {
  span.set(() => ({ ...reportAttributes(reported, run.id), ...findingAttributes(guardrails) }));
  setLogContext({ incidentId: reported.id, traceId: traceOf()?.trace_id });
  const told = (outcome: TriageOutcome) => {
    if (outcome.state === "replayed") setLogContext({ incidentId: outcome.result.incident_id });
    span.set(() => outcomeAttributes(outcome));
    return outcome;
  };
  const begun = await startRun(services, reported, episode, options.idempotency);
  if (begun.state !== "started") return told(begun);
  const investigated = await investigate(services, run, reported, { guardrails, begun });
  const { models } = begun;
  return told(await persistAndIndex(services, { episode, run, isStored, models, ...investigated, ...options }));
}

async function investigate(
  services: InvestigationServices,
  run: Run,
  reported: Incident,
  { guardrails, begun }: { readonly guardrails: GuardFindings; readonly begun: StartedRun },
): Promise<FinishedInvestigation> {
  const { injection_blocked } = guardrails;
  const finish = (
    incident: Incident,
    recalled: Recall,
    { finalAnswer, missing }: AnswerResult,
  ): FinishedInvestigation => {
    const { config, now, newId } = services;
    const parts = { incident, recall: recalled, finalAnswer, warnings: missing, guardrails, run, models: begun.models };
    const result = inSpan("GUARDRAIL", "guard output", (span) => {
      const built = buildResult({ ...parts, config, trace: traceOf(), triageId: newId(), now: now() });
      const scrubbed = scrubOutput(built);
      span.set(() => removedAttributes(scrubbed));
      return scrubbed;
    });
    return { incident, recalled, result };
  };
  if (injection_blocked !== null) {
    services.log("warn", "triage.blocked", { injection_blocked });
    const finalAnswer = createBlockedAnswer(injection_blocked);
    return finish(reported, NOTHING_RECALLED, { finalAnswer, missing: begun.warnings });
  }
  const benign = benignReason(reported.title, reported.labels);
  if (benign !== undefined)
    return finish(reported, NOTHING_RECALLED, { finalAnswer: createBenignAnswer(benign), missing: begun.warnings });

  const { incident, failure } = await classify(services, run, reported, begun);
  const found = await recall(services, incident, begun.sessionPastAnswers);
  const recalled = await rerank(services, run, incident, found);
  const warnings = [...begun.warnings, ...[...(failure ? [failure] : []), ...recalled.missing].map(recallWarning)];
  const { event, data } = recallEvent({ incident, recall: recalled, warnings, guardrails, config: services.config });
  run.emit({ event, data: { ...data, recalled: scrubRecalled(data.recalled) } });

  const { finalAnswer, missing } = await answer(services, run, { incident, recalled, begun });
  return finish(incident, recalled, { finalAnswer, missing: [...warnings, ...missing] });
}
