// Asks a report among past incidents: each recalled record becomes an example with its features.

import type { TriageRequest } from "../../functions/incidents/create-incident.ts";
import { relevanceInputs } from "../../functions/investigation/recall/assess-incidents.ts";
import { embedReport } from "../../functions/investigation/recall/embed-report.ts";
import { createMemoryQuery, createRecallQuery } from "../../functions/investigation/recall/recall.ts";
import { incidentFeatures } from "../../functions/investigation/relevance/incident-features.ts";
import {
  type IncidentReportKind,
  kindOfIncidentReport,
} from "../../functions/investigation/relevance/incident-model.ts";
import { recallRunbooks } from "../../functions/knowledge/recall-runbooks.ts";
import { recallMemory } from "../../functions/memory/recall-memory.ts";
import { CAUSE_CONDITIONS } from "../incidents/ask-causes.ts";
import { REPORT_CORPORA, type ReportCorpus } from "../incidents/second-reports.ts";
import type { ProcessMemory } from "../support/process-memory.ts";
import type { Candidate } from "./examples.ts";

/**
 * `family`: the other members are stored. `one`: one of them is. `repeat`: the same report again, its own record and the other
 * members are stored. `removed` and `look_alike` as for causes.
 */
export const INCIDENT_CONDITIONS = ["family", "one", "repeat", ...CAUSE_CONDITIONS] as const;
export type IncidentCondition = (typeof INCIDENT_CONDITIONS)[number];

/** `evidence`: the report with its log. `title`: without it. */
export const INCIDENT_FORMS = ["evidence", "title"] as const;
export type IncidentForm = (typeof INCIDENT_FORMS)[number];

export interface AskedIncident {
  readonly id: string;
  readonly condition: IncidentCondition;
  readonly form: IncidentForm;
  readonly kind: IncidentReportKind;
  /** Most similar first. `source` is the id. */
  readonly candidates: readonly Candidate[];
  /** Id of the record of the same system; null if it is not on record. */
  readonly own: string | null;
}

export interface IncidentExamples {
  /** What is left out together: a technology, or some of the causes. */
  readonly group: string;
  readonly reports: readonly AskedIncident[];
}

const CAUSE_GROUP = "causes ";

export function causeGroup(number: number): string {
  return `${CAUSE_GROUP}${number}`;
}

export function isCauseGroup(group: string): boolean {
  return group.startsWith(CAUSE_GROUP);
}

/** Of a corpus that people wrote: its reports are no generated texts. */
export function reportGroup(corpus: ReportCorpus, number: number): string {
  return `${corpus} ${number}`;
}

export function isReportGroup(group: string): boolean {
  return REPORT_CORPORA.some((corpus) => group.startsWith(`${corpus} `));
}

export const NOW = new Date("2026-03-02T09:00:00Z");

export type TriageReport = TriageRequest;

export interface IncidentQuestion {
  readonly id: string;
  readonly condition: IncidentCondition;
  readonly form: IncidentForm;
  readonly right: ReadonlySet<string>;
  readonly own?: string | null;
  readonly excludedIds: readonly string[];
}

export async function askIncident(
  { services, incidentOf }: ProcessMemory,
  report: TriageReport,
  { id, condition, form, right, own = null, excludedIds }: IncidentQuestion,
): Promise<AskedIncident> {
  const incident = incidentOf(report, NOW);
  const vectors = embedReport(services, incident);
  const recallQuery = createRecallQuery(services, incident, vectors.report);
  const memoryQuery = createMemoryQuery(services, incident, { query: recallQuery, vectors });
  const ageing = { now: NOW, halfLifeDays: services.config.TIME_DECAY_HALFLIFE_DAYS };
  const [search, memory] = await Promise.all([
    recallRunbooks(services, recallQuery, ageing),
    recallMemory(services, { ...memoryQuery, sessionPastAnswers: [], excludedIds }),
  ]);
  const terms = Object.keys(search.terms).length > 0 ? search.terms : memory.terms;
  const comparison = relevanceInputs(incident, memory.incidents, { terms });
  const features = incidentFeatures(comparison.report, comparison.records, comparison.rarity);
  return {
    id,
    condition,
    form,
    kind: kindOfIncidentReport(comparison.report),
    own,
    candidates: comparison.hits.map(({ document }, i) => ({
      source: document.id,
      isRight: right.has(document.id),
      features: features[i] ?? {},
    })),
  };
}
