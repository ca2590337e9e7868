// Resolution of an incident: stores the fix on the incident, its observation and its past answer in one transaction.

import type { RunInBackground } from "../../background-tasks.ts";
import { DependencyError } from "../../dependencies.ts";
import { redact } from "../../guardrails/redaction/redact.ts";
import { getIncident, type IncidentWithHistory, incidentOf } from "../../incidents/incident-records.ts";
import { recordResolution } from "../../incidents/run-records.ts";
import { isSessionQuestion } from "../../incidents/session-question.ts";
import { fingerprint } from "../../memory/fingerprint.ts";
import type { ObservationUpdate } from "../../memory/memory-updates.ts";
import type { Observation } from "../../memory/observation.ts";
import { FIXED_BY, type PastAnswer } from "../../memory/past-answers.ts";
import { readRecallState } from "../../memory/recall-state.ts";
import { describeFix } from "../../memory/session-summary.ts";
import { EMPTY_ANSWER } from "../../schemas/answer.ts";
import { type TriageResult, triageResultSchema } from "../../schemas/triage-result.ts";
import { claimUntil, flushOutbox } from "../../search-index/flush-outbox.ts";
import { withContext } from "../../telemetry/request-context.ts";
import type { InvestigationServices } from "../run/services.ts";
import { observationUpdate, pastAnswerOf } from "./memory-updates.ts";
import { reportedFacts, type SummarisedResult } from "./summarise-triage.ts";

export interface ResolveRequest {
  readonly incidentId: string;
  readonly resolution: string;
  readonly resolvedBy: string | null;
  /** Whether Dejavu's answer led to the fix; null if not reported. */
  readonly worked: boolean | null;
  /** Whether a resolved incident keeps its resolution. Default false: the new resolution replaces it. */
  readonly onlyOpen?: boolean;
}

/** Attempts to write. The database refuses a write when the observation changed after it was read. */
const MAX_ATTEMPTS = 4;

/**
 * Records the fix of an incident. The vector index follows in a background task.
 * @returns the resolved incident, or null for an unknown id
 * @throws DependencyError when the database failed, or the observation changed during every attempt
 */
export function resolveIncident(
  services: InvestigationServices,
  request: ResolveRequest,
  runInBackground: RunInBackground,
): Promise<IncidentWithHistory | null> {
  return withContext({ incidentId: request.incidentId.toLowerCase() }, () =>
    resolveWithRetries(services, request, runInBackground),
  );
}

async function resolveWithRetries(
  services: InvestigationServices,
  request: ResolveRequest,
  runInBackground: RunInBackground,
): Promise<IncidentWithHistory | null> {
  const scrubbed: ResolveRequest = {
    ...request,
    resolution: redact(request.resolution).text,
    resolvedBy: request.resolvedBy === null ? null : redact(request.resolvedBy).text,
  };
  for (let attempt = 1; ; attempt++) {
    const current = await getIncident(services.database, request.incidentId);
    if (!current) return null;
    const { onlyOpen = false } = request;
    if (onlyOpen && current.incident.status === "resolved") return current;
    const now = services.now();
    const result = await recordResolution(services.database, {
      now,
      claimUntil: claimUntil(services),
      ...scrubbed,
      onlyOpen,
      ...(await memoryUpdateOf(services, current, { ...scrubbed, now })),
    });
    if (result.state === "not_found") return null;
    if (result.state === "resolved") {
      runInBackground(flushOutbox(services, result.pending));
      return result.found;
    }
    if (attempt === MAX_ATTEMPTS)
      throw new DependencyError("database", "busy", `the observation changed during each of ${MAX_ATTEMPTS} attempts`);
  }
}

/** The observation and the past answer with the fix; both null when memory does not hold the incident. */
async function memoryUpdateOf(
  services: InvestigationServices,
  current: IncidentWithHistory,
  fix: ResolveRequest & { readonly now: Date },
): Promise<{ readonly observation: ObservationUpdate | null; readonly memory: PastAnswer | null }> {
  const { config, database } = services;
  const incident = incidentOf(current.incident);
  const parsed = triageResultSchema.safeParse(current.triage);
  const result: TriageResult | null = parsed.success ? parsed.data : null;
  // Benign reports, questions with a prompt injection and questions about the session add nothing to memory.
  const isBlocked = result !== null && result.guardrails.injection_blocked !== null;
  if (current.incident.benign || isBlocked || isSessionQuestion(incident)) return { observation: null, memory: null };
  const { now, worked } = fix;

  const domain = incident.domain.name;
  const ids = {
    domain,
    incidents: [],
    documents: [],
    pastAnswers: [],
    procedures: [],
    fingerprint: fingerprint(incident),
  };
  // Without its own observation, the incident may repeat a failure that another incident stored.
  const existing = current.observation ?? (await readRecallState(database, ids)).repeatOf;
  const newObservation = observationUpdate(incident, result ?? NO_RESULT, { existing: null, now, config }).observation;
  // An earlier resolution reported `worked: false`. Unless this one does too, the summary of the answer is restored.
  const hasRemovedSummary = existing?.narrative === DID_NOT_HELP;
  const base =
    existing === null ? newObservation : hasRemovedSummary ? { ...existing, ...summaryOf(newObservation) } : existing;
  const observation: Observation = {
    ...base,
    // Without a triage there is no score.
    ...(result === null && existing === null ? { finalScore: null } : {}),
    // The answer was wrong, so only the report and the fix remain.
    ...(worked === false
      ? { title: newObservation.title, narrative: DID_NOT_HELP, facts: reportedFacts(incident) }
      : {}),
    resolution: { text: fix.resolution, by: fix.resolvedBy, at: now },
  };
  const update = { observation, incidentId: incident.id, hasNewText: true, replaces: existing };
  if (result === null) return { observation: update, memory: null };
  const pastAnswer = pastAnswerOf(incident, result, { now, config });
  const originalAnswer = worked === false ? "" : `\n${pastAnswer.answer}`;
  const answer = `${FIXED_BY}${describeFix(fix.resolution, fix.resolvedBy)}${originalAnswer}`;
  return { observation: update, memory: { ...pastAnswer, answer } };
}

/** Stored narrative of an observation whose answer did not help. A later resolution recognises it by this text. */
const DID_NOT_HELP = "The answer that was given then did not help.";

function summaryOf({ narrative, facts }: Observation): Pick<Observation, "narrative" | "facts"> {
  return { narrative, facts };
}

/** Result of an incident without a finished triage. */
const NO_RESULT: SummarisedResult = {
  answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] } },
  outcome: "unknown",
  confidence: 0,
  mode: "extractive",
  sources: [],
  recalled: { runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null },
};
