// The investigation on one page: guard → begin → recall → answer → persist → remember. A step that fails is named in the
// warnings; only when nothing can be searched is there no answer.

import type { Incident } from "../memory/incident.ts";
import type { IdempotencyKey } from "../memory/incident-log.ts";
import { composeBlockedAnswer, composeExtractiveAnswer } from "./compose.ts";
import { type GuardFindings, guardRequest, scrubOutput } from "./guard.ts";
import { createIncident, type TriageRequest } from "./intake.ts";
import { NOTHING_RECALLED, recall } from "./recall.ts";
import { abandon, begin, type Investigated, persistAndRemember, startOf, type TriageOutcome } from "./record.ts";
import { buildResult } from "./render.ts";
import type { Warning } from "./result.ts";
import type { RunInBackground, TriageServices } from "./services.ts";
import { recallWarning } from "./warnings.ts";

/** @throws KnowledgeUnavailable when neither keywords nor vectors can be searched */
export async function triage(
  services: TriageServices,
  request: TriageRequest,
  options: { readonly idempotency: IdempotencyKey | null; readonly runInBackground: RunInBackground },
): Promise<TriageOutcome> {
  const guarded = guardRequest(request);
  const incident = createIncident(guarded.request, services.now(), services.newId);
  const episode = startOf(incident, services.newId());

  const begun = await begin(services, incident, episode, options.idempotency);
  if (begun.state !== "started") return begun;

  let investigated: Investigated;
  try {
    investigated = await investigate(services, incident, guarded.findings, begun.warnings);
  } catch (error) {
    // A run that came to nothing is closed in the log; the caller's error does not wait for that.
    options.runInBackground(abandon(services, incident, episode, { error, key: options.idempotency?.key ?? null }));
    throw error;
  }
  return persistAndRemember(services, { incident, episode, ...investigated, ...options });
}

async function investigate(
  services: TriageServices,
  incident: Incident,
  guardrails: GuardFindings,
  begun: readonly Warning[],
): Promise<Investigated> {
  const { config } = services;
  const { injection_blocked } = guardrails;
  if (injection_blocked !== null)
    services.log("warn", "triage.blocked", { incident_id: incident.id, injection_blocked });
  const recalled = injection_blocked === null ? await recall(services, incident) : NOTHING_RECALLED;
  const composition =
    injection_blocked === null
      ? composeExtractiveAnswer(incident, recalled, config.GROUNDING_THRESHOLD)
      : composeBlockedAnswer(injection_blocked);
  const result = buildResult({
    incident,
    triageId: services.newId(),
    now: services.now(),
    recall: recalled,
    composition,
    guardrails,
    warnings: [...begun, ...recalled.missing.map(recallWarning)],
    config,
  });
  return { recalled, result: scrubOutput(result) };
}
