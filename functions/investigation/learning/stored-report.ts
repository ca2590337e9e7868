// A stored incident as memory learns from it: its report and the result of its latest triage. Pure functions.

import type { Config } from "../../config.ts";
import { type IncidentWithHistory, incidentOf } from "../../incidents/incident-records.ts";
import { isSessionQuestion } from "../../incidents/session-question.ts";
import type { ObservationUpdate } from "../../memory/memory-updates.ts";
import { EMPTY_ANSWER } from "../../schemas/answer.ts";
import type { Imported } from "../../schemas/imported.ts";
import type { Incident } from "../../schemas/incident.ts";
import { type TriageResult, triageResultSchema } from "../../schemas/triage-result.ts";
import { observationUpdate } from "./create-memory-updates.ts";
import { importedSummary, type SummarisedResult } from "./summarise-triage.ts";

/** An incident with the result of a triage. */
export type StoredIncident = Pick<IncidentWithHistory, "incident" | "triage">;

export interface StoredReport {
  readonly incident: Incident;
  /** Null without a finished triage. */
  readonly result: TriageResult | null;
  /** The observation of this report alone. */
  readonly update: ObservationUpdate;
}

interface ReportContext {
  readonly now: Date;
  readonly config: Pick<Config, "CONFIDENCE_THRESHOLD" | "PROCEDURAL_THRESHOLD">;
}

/** Null for an incident that adds nothing to memory: a benign report, a blocked question or a question about the session. */
export function storedReport(current: StoredIncident, context: ReportContext): StoredReport | null {
  const report = storedReportOf(current, context);
  const isBlocked = report.result !== null && report.result.guardrails.injection_blocked !== null;
  return current.incident.benign || isBlocked || isSessionQuestion(report.incident) ? null : report;
}

/** The report of an incident that memory holds. */
export function storedReportOf(current: StoredIncident, context: ReportContext): StoredReport {
  const incident = incidentOf(current.incident);
  const parsed = triageResultSchema.safeParse(current.triage);
  const result: TriageResult | null = parsed.success ? parsed.data : null;
  const update =
    result === null
      ? unansweredUpdate(incident, current.incident.imported, context)
      : observationUpdate(incident, result, { existing: null, ...context });
  return { incident, result, update };
}

/** The observation of an incident without a finished triage: it has no score. An imported one is described by its text. */
export function unansweredUpdate(
  incident: Incident,
  imported: Imported | null,
  context: ReportContext,
): ObservationUpdate {
  const update = observationUpdate(incident, NO_RESULT, { existing: null, ...context });
  const description = imported === null ? {} : importedSummary(incident, imported);
  return { ...update, observation: { ...update.observation, finalScore: null, ...description } };
}

/** Result of an incident without a finished triage. */
export const NO_RESULT: SummarisedResult = {
  answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] } },
  outcome: "unknown",
  confidence: 0,
  mode: "extractive",
  sources: [],
  recalled: { runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null },
};
