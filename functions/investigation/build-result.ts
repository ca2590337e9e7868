// Owns how an investigation's parts become the result that is stored and returned. Pure.

import type { Config } from "../config.ts";
import type { GuardFindings } from "../incidents/guard-request.ts";
import { sourceKindOf } from "../knowledge/source-documents.ts";
import type { RecalledProcedure } from "../memory/procedures.ts";
import type { RecalledMemory, RecalledObservation } from "../memory/recall-memory.ts";
import type { Incident } from "../schemas/incident.ts";
import type {
  IncidentHit,
  MemoryHit,
  ProcedureHit,
  RunbookHit,
  TriageResult,
  Warning,
} from "../schemas/triage-result.ts";
import type { HybridHit } from "../search-index/hybrid-search.ts";
import type { SearchDocument } from "../search-index/search-document.ts";
import type { Composition } from "./answer/extractive-answer.ts";
import type { RecallEvent } from "./events.ts";
import { limitFor, rankedHits } from "./evidence/citable-texts.ts";
import { PROMPT_VERSION } from "./prompts/version.ts";
import type { Recall } from "./recall/recall-result.ts";
import { roundShare } from "./relevance/relevance-criteria.ts";
import type { Run } from "./run.ts";
import type { Models } from "./services.ts";

type HitsConfig = Pick<Config, "GROUNDING_THRESHOLD" | "RUNBOOK_RECALL_LIMIT">;

export interface RecallParts {
  readonly incident: Incident;
  readonly recall: Recall;
  readonly warnings: readonly Warning[];
  readonly guardrails: GuardFindings;
  readonly config: HitsConfig & Pick<Config, "TOP_K">;
}

export interface ResultParts extends RecallParts {
  readonly triageId: string;
  readonly now: Date;
  readonly composition: Composition;
  readonly run: Pick<Run, "usage" | "startedAt" | "traffic">;
  readonly models: Models | null;
  readonly trace: TriageResult["trace"];
}

/** Everything that was recalled, each hit with the parts of its score. */
export function recalledHits(recall: Recall, config: HitsConfig): TriageResult["recalled"] {
  return {
    runbooks: runbookHits(recall, config),
    incidents: recall.incidents.map(({ hit, grounding }) => incidentHit(hit, grounding, config.GROUNDING_THRESHOLD)),
    memories: recall.memories.map(memoryHit),
    procedure: recall.procedure && procedureHit(recall.procedure),
    reranking: recall.reranking ?? null,
  };
}

/** What is known before an answer is written. */
export function recallEvent(parts: RecallParts): RecallEvent {
  const { incident, recall, config } = parts;
  return {
    event: "recall",
    data: {
      incident_id: incident.id,
      session_id: incident.sessionId,
      title: incident.title,
      domain: { name: incident.domain.name, rule: incident.domain.rule },
      incident_type: incident.type,
      search_query: incident.searchQuery,
      recalled: recalledHits(recall, { ...config, ...limitFor(incident, config) }),
      guardrails: { ...parts.guardrails, citations_removed: 0, links_removed: 0, statements_removed: 0 },
      warnings: [...parts.warnings],
    },
  };
}

export function buildResult(parts: ResultParts): TriageResult {
  const { composition, incident, recall, models } = parts;
  const { removed } = composition;
  const usage = parts.run.usage();
  const { guardrails, warnings, ...recalled } = recallEvent(parts).data;
  return {
    triage_id: parts.triageId,
    created_at: parts.now.toISOString(),
    ...recalled,
    mode: composition.mode,
    target: incident.target,
    severity: incident.severity,
    outcome: composition.outcome,
    confidence: roundShare(composition.confidence),
    answer: composition.answer,
    sources: citedSources(recall, composition),
    guardrails: {
      ...guardrails,
      citations_removed: removed.citations,
      links_removed: removed.links,
      statements_removed: removed.statements,
    },
    model:
      composition.mode === "model" && models
        ? { answer: models.answer.model.name, small: models.small.model.name, prompt_version: PROMPT_VERSION }
        : null,
    critique: composition.critique,
    usage: {
      calls: usage.calls,
      input_tokens: usage.inputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
    },
    elapsed_ms: Math.max(0, parts.now.getTime() - parts.run.startedAt.getTime()),
    traffic: parts.run.traffic,
    trace: parts.trace,
    warnings,
    persisted: true,
  };
}

/** The answer as text: what is remembered of it, and what the episode log keeps. */
export function plainAnswer({ answer }: Pick<Composition, "answer">): string {
  const causes = answer.likely_causes.map((cause) => `- ${cause.text}`);
  return [answer.summary.text, ...(causes.length > 0 ? ["Likely causes:", ...causes] : [])].join("\n");
}

function runbookHits(recall: Recall, config: HitsConfig): RunbookHit[] {
  return rankedHits(recall, config).map(({ hit, runbook }) => ({
    ...foundRunbook(hit),
    ...judgement(runbook.grounding, config.GROUNDING_THRESHOLD),
  }));
}

/** A runbook's chunk as it was found, not yet judged. */
export type FoundRunbook = Omit<RunbookHit, "grounding" | "relevant">;

export function foundRunbook(hit: HybridHit): FoundRunbook {
  const { document } = hit;
  return {
    id: document.id,
    kind: sourceKindOf(document),
    source: document.source ?? "",
    title: document.title,
    heading: document.headingPath.join(" › "),
    text: document.body,
    ...explanation(hit),
  };
}

function incidentHit(hit: RecalledObservation, grounding: number, threshold: number): IncidentHit {
  const { observation } = hit;
  const { resolution } = observation;
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
    quality: observation.quality,
    occurrences: observation.occurrences,
    first_seen_at: observation.firstSeenAt.toISOString(),
    last_seen_at: observation.lastSeenAt.toISOString(),
    resolution: resolution?.text ?? null,
    resolved_by: resolution?.by || null,
    resolved_at: resolution?.at.toISOString() ?? null,
    superseded: observation.superseded.map((fix) => ({
      resolution: fix.text,
      resolved_by: fix.by,
      resolved_at: fix.at.toISOString(),
      superseded_at: fix.supersededAt.toISOString(),
    })),
    ranking: hit.ranking,
    ...explanation(hit),
    ...judgement(grounding, threshold),
  };
}

function memoryHit(memory: RecalledMemory): MemoryHit {
  const { id, question, answer, rating, score, ranking } = memory;
  return {
    id,
    question,
    answer,
    asked_at: memory.createdAt.toISOString(),
    session_id: memory.sessionId,
    is_summary: memory.isSummary,
    rating,
    score,
    ranking,
  };
}

function procedureHit(procedure: RecalledProcedure): ProcedureHit {
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
  const { dense, bm25, ...others } = hit.contributions;
  return {
    score: hit.score,
    signals: {
      ...others,
      ...(dense && hit.distance !== undefined ? { dense: { ...dense, distance: hit.distance } } : {}),
      ...(bm25 && hit.bm25 ? { bm25: { ...bm25, score: hit.bm25.score, terms: { ...hit.bm25.terms } } } : {}),
    },
  };
}

function judgement(grounding: number, threshold: number) {
  return { grounding: roundShare(grounding), relevant: roundShare(grounding) >= threshold };
}

/** What the answer cites, each once, in the order of first mention. @throws Error on an id that was not recalled */
function citedSources(recall: Recall, { answer }: Composition): TriageResult["sources"] {
  const runbookChunks = new Map(recall.runbooks.flatMap(({ sections }) => sections.map((chunk) => [chunk.id, chunk])));
  const incidents = new Map(recall.incidents.map(({ hit }) => [hit.document.id, hit.document]));
  const cited = [
    answer.summary,
    ...answer.evidence,
    ...answer.likely_causes,
    ...answer.hypotheses,
    ...answer.confirm,
    ...answer.mitigate,
    ...answer.worked_before,
    ...answer.prevention,
    ...answer.look_next,
  ];
  return [...new Set(cited.flatMap(({ citations }) => citations))].map((id) => {
    const chunk = runbookChunks.get(id);
    if (chunk) return { ...sourceOf(chunk), kind: sourceKindOf(chunk) };
    const incident = incidents.get(id);
    if (incident) return { ...sourceOf(incident), kind: "incident" as const };
    throw new Error(`The answer cites ${id}, which was not recalled.`);
  });
}

function sourceOf(document: SearchDocument) {
  return {
    id: document.id,
    title: document.title,
    source: document.source,
    heading: document.headingPath.join(" › "),
  };
}
