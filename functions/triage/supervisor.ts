// The investigation on one page: guard → begin → classify → recall → answer → persist → remember. A step that fails is
// named in the warnings; only when nothing can be searched is there no answer.

import { benignReason } from "../domains/benign.ts";
import type { Incident } from "../memory/incident.ts";
import type { IdempotencyKey } from "../memory/incident-log.ts";
import type { IncidentRow } from "../memory/incident-records.ts";
import { incidentOf } from "../memory/incident-records.ts";
import { type Answered, answer } from "./answer.ts";
import { classify } from "./classify.ts";
import { composeBenignAnswer, composeBlockedAnswer } from "./compose.ts";
import type { EmitEvent } from "./events.ts";
import { type GuardFindings, guardRequest, scrubOutput, scrubRecalled } from "./guard.ts";
import { createIncident, type TriageRequest } from "./intake.ts";
import { NOTHING_RECALLED, type Recall, recall } from "./recall.ts";
import {
  abandon,
  begin,
  type Investigated,
  persistAndRemember,
  type Started,
  startOf,
  type TriageOutcome,
} from "./record.ts";
import { buildResult, recallEvent } from "./render.ts";
import { createRun, type Run } from "./run.ts";
import type { RunInBackground, TriageServices } from "./services.ts";
import { recallWarning } from "./warnings.ts";

export interface TriageOptions {
  readonly idempotency: IdempotencyKey | null;
  readonly runInBackground: RunInBackground;
  /** Gets what happens on the way. */
  readonly emit?: EmitEvent;
  /** Fires when nobody waits any more: models stop, and what is known by then is stored. */
  readonly cancelled?: AbortSignal;
}

/** @throws KnowledgeUnavailable when neither keywords nor vectors can be searched */
export async function triage(
  services: TriageServices,
  request: TriageRequest,
  options: TriageOptions,
): Promise<TriageOutcome> {
  const guarded = guardRequest(request);
  const reported = createIncident(guarded.request, services.now(), services.newId);
  return carryOut(services, { reported, guardrails: guarded.findings, run: createRun(services, options) }, options);
}

/**
 * Investigates a stored incident whose last run died, as the run that the sweep has begun for it. A run that comes to
 * nothing stays open, for the sweep to find in turn.
 * @throws KnowledgeUnavailable
 */
export async function retriage(
  services: TriageServices,
  again: { readonly runId: string; readonly incident: IncidentRow & { readonly logs: string | null } },
  runInBackground: RunInBackground,
): Promise<void> {
  const reported = incidentOf(again.incident);
  const { title, target, labels, question, logs } = again.incident;
  const { findings } = guardRequest({
    title,
    labels,
    question: question ?? undefined,
    target: target ?? undefined,
    logs: logs ?? undefined,
  });
  const run = createRun(services, { id: again.runId });
  await carryOut(
    services,
    { reported, guardrails: findings, run, staysOpen: true },
    { idempotency: null, runInBackground },
  );
}

interface Task {
  readonly reported: Incident;
  readonly guardrails: GuardFindings;
  readonly run: Run;
  /** Whether a run that comes to nothing is left to the sweep. */
  readonly staysOpen?: boolean;
}

async function carryOut(
  services: TriageServices,
  { reported, guardrails, run, staysOpen = false }: Task,
  options: TriageOptions,
): Promise<TriageOutcome> {
  const episode = startOf(reported, run.id, services.now());

  const begun = await begin(services, reported, episode, options.idempotency);
  if (begun.state !== "started") return begun;

  let investigated: Investigated;
  try {
    investigated = await investigate(services, run, reported, { guardrails, begun });
  } catch (error) {
    if (staysOpen) throw error;
    // A run that came to nothing is closed in the log; the caller's error does not wait for that.
    const key = options.idempotency?.key ?? null;
    options.runInBackground(abandon(services, reported, episode, { error, key, usage: run.usage() }));
    throw error;
  }
  return persistAndRemember(services, { episode, run, models: begun.models, ...investigated, ...options });
}

async function investigate(
  services: TriageServices,
  run: Run,
  reported: Incident,
  { guardrails, begun }: { readonly guardrails: GuardFindings; readonly begun: Started },
): Promise<Investigated> {
  const { injection_blocked } = guardrails;
  const finish = (incident: Incident, recalled: Recall, { composition, missing }: Answered): Investigated => {
    const { config, now, newId } = services;
    const parts = { incident, recall: recalled, composition, warnings: missing, guardrails, run, models: begun.models };
    return {
      incident,
      recalled,
      result: scrubOutput(buildResult({ ...parts, config, triageId: newId(), now: now() })),
    };
  };
  if (injection_blocked !== null) {
    services.log("warn", "triage.blocked", { incident_id: reported.id, injection_blocked });
    const composition = composeBlockedAnswer(injection_blocked);
    return finish(reported, NOTHING_RECALLED, { composition, missing: begun.warnings });
  }
  const benign = benignReason(reported.title, reported.labels);
  if (benign !== undefined)
    return finish(reported, NOTHING_RECALLED, { composition: composeBenignAnswer(benign), missing: begun.warnings });

  const { incident, failure } = await classify(services, run, reported, begun);
  const recalled = await recall(services, incident, begun.sessionMemories);
  const warnings = [...begun.warnings, ...[...(failure ? [failure] : []), ...recalled.missing].map(recallWarning)];
  const { event, data } = recallEvent({ incident, recall: recalled, warnings, guardrails, config: services.config });
  run.emit({ event, data: { ...data, recalled: scrubRecalled(data.recalled) } });

  const { composition, missing } = await answer(services, run, { incident, recalled, begun });
  return finish(incident, recalled, { composition, missing: [...warnings, ...missing] });
}
