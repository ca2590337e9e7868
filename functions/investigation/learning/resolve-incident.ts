// Resolution of an incident: stores the fix, and updates observation and past answer with it.

import type { RunInBackground } from "../../background-tasks.ts";
import { DependencyError } from "../../dependencies.ts";
import { redact } from "../../guardrails/redaction/redact.ts";
import { getIncident, type IncidentWithHistory, incidentOf } from "../../incidents/incident-records.ts";
import { recordResolution } from "../../incidents/run-records.ts";
import { fingerprint } from "../../memory/fingerprint.ts";
import type { ObservationUpdate } from "../../memory/memory-updates.ts";
import type { Observation } from "../../memory/observation.ts";
import type { PastAnswer } from "../../memory/past-answers.ts";
import { readRecallState } from "../../memory/recall-state.ts";
import { EMPTY_ANSWER, type TriageResult, triageResultSchema } from "../../schemas/triage-result.ts";
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
  /** Keeps an existing resolution. Default: a later resolution replaces it. */
  readonly onlyOpen?: boolean;
}

/** The record may change between read and write; after this many attempts the call fails. */
const MAX_ATTEMPTS = 4;

/** @returns the resolved incident, or null for an unknown id @throws DependencyError */
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
      throw new DependencyError("database", "busy", `the record changed during each of ${MAX_ATTEMPTS} attempts`);
  }
}

async function memoryUpdateOf(
  services: InvestigationServices,
  current: IncidentWithHistory,
  fix: ResolveRequest & { readonly now: Date },
): Promise<{ readonly observation: ObservationUpdate | null; readonly memory: PastAnswer | null }> {
  const { config, database } = services;
  const incident = incidentOf(current.incident);
  const parsed = triageResultSchema.safeParse(current.triage);
  const result: TriageResult | null = parsed.success ? parsed.data : null;
  // Benign reports and attacks add nothing to memory.
  const isBlocked = result !== null && result.guardrails.injection_blocked !== null;
  if (current.incident.benign || isBlocked) return { observation: null, memory: null };
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
  const existing = current.observation ?? (await readRecallState(database, ids)).repeatOf;
  const updated = observationUpdate(incident, result ?? NO_RESULT, { existing: null, now, config }).observation;
  // If the answer worked after all, its summary replaces the note that it did not help.
  const isRetracted = existing?.narrative === DID_NOT_HELP;
  const base = existing === null ? updated : isRetracted ? { ...existing, ...toSummary(updated) } : existing;
  const observation: Observation = {
    ...base,
    ...(result === null && existing === null ? { finalScore: null } : {}),
    // The conclusion was wrong: only the report and the fix remain.
    ...(worked === false ? { title: updated.title, narrative: DID_NOT_HELP, facts: reportedFacts(incident) } : {}),
    resolution: { text: fix.resolution, by: fix.resolvedBy, at: now },
  };
  const update = { observation, incidentId: incident.id, hasNewText: true, replaces: existing };
  if (result === null) return { observation: update, memory: null };
  const memory = pastAnswerOf(incident, result, { now, config });
  const who = fix.resolvedBy === null ? "" : ` (${fix.resolvedBy})`;
  const before = worked === false ? "" : `\n${memory.answer}`;
  return { observation: update, memory: { ...memory, answer: `Fixed by: ${fix.resolution}${who}${before}` } };
}

const DID_NOT_HELP = "The answer that was given then did not help.";

function toSummary({ narrative, facts }: Observation): Pick<Observation, "narrative" | "facts"> {
  return { narrative, facts };
}

/** Stands for the result of an incident whose triage never finished. */
const NO_RESULT: SummarisedResult = {
  answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] } },
  outcome: "unknown",
  confidence: 0,
  mode: "extractive",
  sources: [],
  recalled: { runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null },
};
