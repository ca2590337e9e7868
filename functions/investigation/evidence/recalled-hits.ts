// Recalled runbooks, incidents, past answers and procedures in the form of a triage result.

import type { Config } from "../../config.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import { fixEntry } from "../../memory/fixes.ts";
import type { Observation } from "../../memory/observation.ts";
import type { RecalledProcedure } from "../../memory/procedures.ts";
import type { RecalledPastAnswer } from "../../memory/recall-memory.ts";
import type {
  Assessed,
  IncidentHit,
  PastAnswerHit,
  ProcedureHit,
  RunbookHit,
  TriageResult,
} from "../../schemas/triage-result.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import { type Recall, type RecalledIncident, type RecalledRunbook, reaches } from "../recall/recall-result.ts";
import { roundShare } from "../relevance/relevance.ts";
import { rankedHits } from "./citable-texts.ts";

export type HitsConfig = Pick<Config, "POSSIBLE_THRESHOLD" | "RUNBOOK_RECALL_LIMIT">;

/** All recalled hits with the parts of their scores. */
export function recalledHits(recall: Recall, config: HitsConfig): TriageResult["recalled"] {
  return {
    runbooks: runbookHits(recall, config),
    incidents: recall.incidents.map((incident) => incidentHit(incident, config)),
    past_answers: recall.pastAnswers.map((each) => ({
      ...pastAnswerHit(each),
      ...answerLikeness(each, recall, config),
    })),
    procedure: recall.procedure && {
      ...procedureHit(recall.procedure),
      ...answerLikeness(recall.procedure, recall, config),
    },
    reranking: recall.reranking ?? null,
  };
}

function runbookHits(recall: Recall, config: HitsConfig): RunbookHit[] {
  return rankedHits(recall, config).map(({ hit, runbook }) => ({
    ...searchedRunbook(hit),
    ...assessed(runbook, config),
  }));
}

/** A runbook's chunk as the search returns it, without a probability. */
export type SearchedRunbook = Omit<RunbookHit, keyof Assessed>;

export function searchedRunbook(hit: HybridHit): SearchedRunbook {
  const { document } = hit;
  return {
    id: document.id,
    kind: textKindOf(document),
    source: document.source ?? "",
    title: document.title,
    heading: document.headingPath.join(" › "),
    text: document.body,
    ...explanation(hit),
  };
}

export function incidentHit(incident: RecalledIncident, config: Pick<HitsConfig, "POSSIBLE_THRESHOLD">): IncidentHit {
  const { hit, likeness } = incident;
  const { observation } = hit;
  return {
    id: observation.id,
    title: observation.title,
    target: observation.target,
    severity: observation.severity,
    incident_type: observation.taskType,
    reported_at: observation.firstSeenAt.toISOString(),
    narrative: observation.narrative,
    facts: [...observation.facts],
    final_score: observation.finalScore,
    effective_review_score: observation.reviewScore,
    occurrences: observation.occurrences,
    first_seen_at: observation.firstSeenAt.toISOString(),
    last_seen_at: observation.lastSeenAt.toISOString(),
    targets: [...observation.targets],
    alike: [...likeness.alike],
    differs: [...likeness.differs],
    ...recordedFixes(observation),
    ranking: hit.ranking,
    ...explanation(hit),
    ...assessed(incident, config),
  };
}

/** The fixes of a record as a triage result has them. */
export function recordedFixes({ resolution, fixes }: Pick<Observation, "resolution" | "fixes">) {
  return {
    resolution: resolution?.text ?? null,
    resolved_by: resolution?.by || null,
    resolved_at: resolution?.at.toISOString() ?? null,
    fixes: fixes.map(fixEntry),
  };
}

type AnswerLikeness = Pick<PastAnswerHit, "probability" | "relevant">;

/** Whether the failure that a past answer or a procedure is about is the reported one. */
function answerLikeness(
  { id }: { readonly id: string },
  { answerProbabilities }: Recall,
  { POSSIBLE_THRESHOLD }: Pick<HitsConfig, "POSSIBLE_THRESHOLD">,
): AnswerLikeness {
  const estimate = answerProbabilities.get(id);
  const probability = estimate === undefined ? null : roundShare(estimate);
  return { probability, relevant: probability !== null && probability >= POSSIBLE_THRESHOLD };
}

function pastAnswerHit(pastAnswer: RecalledPastAnswer): Omit<PastAnswerHit, keyof AnswerLikeness> {
  const { id, question, answer, rating, score, ranking } = pastAnswer;
  return {
    id,
    question,
    answer,
    asked_at: pastAnswer.createdAt.toISOString(),
    session_id: pastAnswer.sessionId,
    is_summary: pastAnswer.isSummary,
    net_rating: rating,
    score,
    ranking,
  };
}

function procedureHit(procedure: RecalledProcedure): Omit<ProcedureHit, keyof AnswerLikeness> {
  const { id, query, strategy, answer, confidence, cosine } = procedure;
  return {
    id,
    query,
    strategy,
    answer,
    confidence,
    use_count: procedure.useCount,
    last_used_at: procedure.lastUsedAt.toISOString(),
    cosine,
  };
}

function explanation(hit: HybridHit) {
  const { dense, bm25, attached, ...others } = hit.contributions;
  return {
    score: hit.score,
    features: {
      ...others,
      ...(attached && { attached: { ...attached, ...(hit.chosen && { chosen: hit.chosen }) } }),
      ...(dense && hit.distance !== undefined ? { dense: { ...dense, distance: hit.distance } } : {}),
      ...(bm25 && hit.bm25 ? { bm25: { ...bm25, score: hit.bm25.score, terms: { ...hit.bm25.terms } } } : {}),
    },
  };
}

/** The rounded contributions sum to the log-odds as shown. */
function assessed(
  recalled: RecalledRunbook | RecalledIncident,
  { POSSIBLE_THRESHOLD }: Pick<HitsConfig, "POSSIBLE_THRESHOLD">,
): Assessed {
  const { probability, contributions } = recalled.relevance;
  const rounded = Object.entries(contributions).map(([feature, value]) => [feature, roundPart(value)] as const);
  return {
    probability: roundShare(probability),
    relevance: {
      log_odds: roundPart(rounded.reduce((sum, [, value]) => sum + value, 0)),
      contributions: Object.fromEntries(rounded),
    },
    relevant: reaches(recalled, POSSIBLE_THRESHOLD),
  };
}

function roundPart(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
