// Owns the end of an incident: what fixed it is stored, and what is remembered of it is written anew with the fix.

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
  /** Whether Dejavu's answer led there; null where nobody says. */
  readonly worked: boolean | null;
  /** Whether a resolution that is on record stays; without it a later one replaces the former. */
  readonly onlyOpen?: boolean;
}

/** Times that the record may change between reading and writing before the caller is told to come again. */
const TRIES = 4;

/** @returns the incident as it is resolved now, or null when there is none of that id. @throws DependencyError */
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
  for (let tries = 1; ; tries++) {
    const found = await getIncident(services.database, request.incidentId);
    if (!found) return null;
    const { onlyOpen = false } = request;
    if (onlyOpen && found.incident.status === "resolved") return found;
    const now = services.now();
    const reply = await recordResolution(services.database, {
      now,
      claimUntil: claimUntil(services),
      ...scrubbed,
      onlyOpen,
      ...(await memoryUpdateOf(services, found, { ...scrubbed, now })),
    });
    if (reply.state === "not_found") return null;
    if (reply.state === "resolved") {
      runInBackground(flushOutbox(services, reply.owed));
      return reply.found;
    }
    if (tries === TRIES) throw new DependencyError("database", "busy", "others kept changing the same record");
  }
}

async function memoryUpdateOf(
  services: InvestigationServices,
  found: IncidentWithHistory,
  fix: ResolveRequest & { readonly now: Date },
): Promise<{ readonly observation: ObservationUpdate | null; readonly memory: PastAnswer | null }> {
  const { config, database } = services;
  const incident = incidentOf(found.incident);
  const parsed = triageResultSchema.safeParse(found.triage);
  const result: TriageResult | null = parsed.success ? parsed.data : null;
  // What was no incident, and what an attacker asked, is no knowledge.
  const isBlocked = result !== null && result.guardrails.injection_blocked !== null;
  if (found.incident.benign || isBlocked) return { observation: null, memory: null };
  const { now, worked } = fix;

  const domain = incident.domain.name;
  const asked = {
    domain,
    incidents: [],
    documents: [],
    memories: [],
    procedures: [],
    fingerprint: fingerprint(incident),
  };
  const known = found.observation ?? (await readRecallState(database, asked)).repeatOf;
  const anew = observationUpdate(incident, result ?? NOTHING_FOUND, { known: null, now, config }).observation;
  // What was taken back is told again where the answer turns out to have worked.
  const told = known === null ? anew : known.narrative === MISLED ? { ...known, ...toSummary(anew) } : known;
  const observation: Observation = {
    ...told,
    ...(result === null && known === null ? { finalScore: null } : {}),
    // What was concluded then is known to be wrong: the report and the fix alone speak.
    ...(worked === false ? { title: anew.title, narrative: MISLED, facts: reportedFacts(incident) } : {}),
    resolution: { text: fix.resolution, by: fix.resolvedBy, at: now },
  };
  const update = { observation, incidentId: incident.id, isTold: true, replaces: known };
  if (result === null) return { observation: update, memory: null };
  const memory = pastAnswerOf(incident, result, { now, config });
  const who = fix.resolvedBy === null ? "" : ` (${fix.resolvedBy})`;
  const before = worked === false ? "" : `\n${memory.answer}`;
  return { observation: update, memory: { ...memory, answer: `Fixed by: ${fix.resolution}${who}${before}` } };
}

const MISLED = "The answer that was given then did not help.";

function toSummary({ narrative, facts }: Observation): Pick<Observation, "narrative" | "facts"> {
  return { narrative, facts };
}

/** What is told of an incident whose triage never finished. */
const NOTHING_FOUND: SummarisedResult = {
  answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] } },
  outcome: "unknown",
  confidence: 0,
  mode: "extractive",
  sources: [],
  recalled: { runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null },
};
