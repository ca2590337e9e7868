// Relevance of past incidents: the probability that a past incident is the same failure. The names of the affected services
// are left out on both sides: they are rare words, and other failures of the same service have them too. Pure functions.

import { fingerprintOfReport } from "../../memory/observed-report.ts";
import type { RecalledObservation } from "../../memory/recall-memory.ts";
import { tokenize } from "../../retrieval/text/tokenize.ts";
import { withoutName } from "../../retrieval/text/without-name.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import { type Incident, searchText } from "../../schemas/incident.ts";
import type { HybridResult } from "../../search-index/hybrid-search.ts";
import type { RelevanceCandidate } from "../relevance/candidate-text.ts";
import { atLeast } from "../relevance/relevance.ts";
import { assessRelevance, type RelevanceModel } from "../relevance/relevance-model.ts";
import { createReportTerms, type ReportTerms } from "../relevance/report-terms.ts";
import type { RecalledIncident } from "./recall-result.ts";

/** Facts of a record about its circumstances: other failures share them. */
const CIRCUMSTANCE = /^(?:Type|Domain|Target|Severity|Labels|Outcome): /;
const LOG_FACT = /^Log: /;

export interface IncidentComparison {
  readonly report: ReportTerms;
  /** Most similar first. */
  readonly hits: readonly RecalledObservation[];
  /** The text of each hit, in their order. */
  readonly candidates: readonly RelevanceCandidate[];
  /** Fingerprint of the report. */
  readonly fingerprint: string;
}

/** A report without error lines that repeats an incident to the word is the same failure, as far as anybody can tell. */
const REPEAT_PROBABILITY = 0.8;

/** The report and the past incidents as the relevance model reads them. */
export function compareIncidents(
  incident: Incident,
  incidents: readonly RecalledObservation[],
  statistics: Pick<HybridResult, "terms" | "corrections">,
): IncidentComparison {
  // By similarity alone: the age and the score of a record do not change whether it is the same failure.
  const hits = incidents.toSorted((a, b) => b.ranking.similarity - a.ranking.similarity);
  return {
    report: createReportTerms(withoutTarget(incident), statistics),
    hits,
    candidates: hits.map(candidateOf),
    fingerprint: fingerprintOfReport(incident),
  };
}

/** The incidents with their relevance, in the order of the comparison. */
export function assessIncidents(
  model: RelevanceModel,
  { report, hits, candidates, fingerprint: ofReport }: IncidentComparison,
  calibration: Calibration,
): RecalledIncident[] {
  const relevances = assessRelevance(model, report, candidates, calibration);
  return hits.flatMap((hit, i) => {
    const relevance = relevances[i];
    if (!relevance) return [];
    const isRepeat = report.lines.length === 0 && hit.observation.fingerprint === ofReport;
    return [{ hit, relevance: isRepeat ? atLeast(relevance, REPEAT_PROBABILITY, "repeat") : relevance }];
  });
}

/** A report that is nothing but the name keeps it. */
function withoutTarget(incident: Incident): Incident {
  const { title, question, searchQuery, evidence } = incident;
  const strip = (text: string) => withoutName(text, incident.target ?? "");
  const stripped = {
    title: strip(title),
    question: question === null ? null : strip(question),
    searchQuery: searchQuery === null ? null : strip(searchQuery),
  };
  const hasWords = tokenize(searchText({ ...stripped, labels: incident.labels })).length > 0;
  const lines = evidence.lines.map((line) => ({ ...line, text: strip(line.text) }));
  return { ...incident, ...(hasWords ? stripped : {}), evidence: { ...evidence, lines } };
}

function candidateOf(hit: RecalledObservation): RelevanceCandidate {
  const { title, narrative, facts, target, resolution } = hit.observation;
  const strip = (text: string) => withoutName(text, target ?? "");
  const reported = facts.filter((fact) => !CIRCUMSTANCE.test(fact)).map((fact) => fact.replace(LOG_FACT, ""));
  const body = strip([...reported, narrative, resolution?.text ?? ""].join("\n"));
  const ownTitle = strip(title);
  return {
    title: ownTitle,
    hits: [{ ...hit, score: hit.ranking.similarity }],
    texts: [{ ...hit.document, title: ownTitle, headingPath: [], body, metadata: {} }],
  };
}
