// Builds the triage result that is stored and returned. Pure functions.

import type { CheckResult } from "../../lib/checks/check.ts";
import type { Config } from "../config.ts";
import type { GuardFindings } from "../incidents/guard-request.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { textKindOf } from "../knowledge/text-documents.ts";
import type { Incident } from "../schemas/incident.ts";
import type { LiveEvidence } from "../schemas/live-evidence.ts";
import type { TriageResult, Warning } from "../schemas/triage-result.ts";
import type { SearchDocument } from "../search-index/search-document.ts";
import type { FinalAnswer } from "./answer/final-answer.ts";
import { limitFor } from "./evidence/citable-texts.ts";
import type { HitsConfig } from "./evidence/recalled-hits.ts";
import { recalledHits } from "./evidence/recalled-hits.ts";
import { placeholdersOf } from "./placeholder-names.ts";
import { PROMPT_VERSION } from "./prompts/version.ts";
import type { Recall } from "./recall/recall-result.ts";
import { roundShare } from "./relevance/relevance.ts";
import { RELEVANCE_MODEL_FINGERPRINT } from "./relevance/relevance-model.ts";
import type { RecallEvent } from "./run/events.ts";
import type { Models } from "./run/investigation-services.ts";
import type { Run } from "./run/run.ts";

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
  readonly finalAnswer: FinalAnswer;
  readonly live: LiveEvidence;
  readonly catalog: DomainCatalog;
  readonly run: Pick<Run, "usage" | "startedAt" | "traffic">;
  readonly models: Models | null;
  readonly trace: TriageResult["trace"];
}

/** The part of the result that exists before the answer. */
export function recallEvent(parts: RecallParts): RecallEvent {
  const { incident, recall, config } = parts;
  return {
    event: "recall",
    data: {
      incident_id: incident.id,
      session_id: incident.sessionId,
      title: incident.title,
      domain: {
        name: incident.domain.name,
        rule: incident.domain.rule,
        decided_by: incident.domain.decidedBy,
        looked_further: recall.lookedFurther,
      },
      incident_type: incident.type,
      search_query: incident.searchQuery,
      recalled: recalledHits(recall, { ...config, ...limitFor(incident, config) }),
      guardrails: { ...parts.guardrails, citations_removed: 0, links_removed: 0, statements_removed: 0 },
      warnings: [...parts.warnings],
    },
  };
}

export function buildResult(parts: ResultParts): TriageResult {
  const { finalAnswer, incident, recall, models } = parts;
  const { removed } = finalAnswer;
  const usage = parts.run.usage();
  const { guardrails, warnings, ...recalled } = recallEvent(parts).data;
  return {
    triage_id: parts.triageId,
    created_at: parts.now.toISOString(),
    ...recalled,
    mode: finalAnswer.mode,
    target: incident.target,
    severity: incident.severity,
    outcome: finalAnswer.outcome,
    confidence: roundShare(finalAnswer.confidence),
    answer: finalAnswer.answer,
    checks: recall.checks.map(({ result }) => result),
    live: parts.live,
    placeholders: placeholdersOf(finalAnswer.answer, incident, parts.catalog),
    sources: citedSources(recall, finalAnswer),
    relevance_model: RELEVANCE_MODEL_FINGERPRINT,
    guardrails: {
      ...guardrails,
      citations_removed: removed.citations,
      links_removed: removed.links,
      statements_removed: removed.statements,
    },
    model:
      finalAnswer.mode === "model" && models
        ? { answer: models.answer.model.name, small: models.small.model.name, prompt_version: PROMPT_VERSION }
        : null,
    critique: finalAnswer.critique,
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

/** The sources that the answer cites, each once, in the order of first mention. @throws Error on an id that was not recalled */
function citedSources(recall: Recall, { answer }: FinalAnswer): TriageResult["sources"] {
  const runbookChunks = new Map(recall.runbooks.flatMap(({ sections }) => sections.map((chunk) => [chunk.id, chunk])));
  const incidents = new Map(recall.incidents.map(({ hit }) => [hit.document.id, hit.document]));
  const pastAnswers = new Map(recall.pastAnswers.map((pastAnswer) => [pastAnswer.id, pastAnswer.question]));
  const checks = new Map(recall.checks.map(({ result }) => [result.id, result]));
  const statements = [
    answer.summary,
    ...answer.evidence,
    ...answer.likely_causes,
    ...answer.possible_causes,
    ...answer.possible_causes.flatMap(({ confirm }) => confirm),
    ...answer.ruled_out,
    ...answer.hypotheses,
    ...answer.confirm,
    ...answer.mitigate,
    ...answer.worked_before,
    ...answer.prevention,
    ...answer.look_next,
  ];
  return [...new Set(statements.flatMap(({ citations }) => citations))].map((id) => {
    const chunk = runbookChunks.get(id);
    if (chunk) return { ...sourceOf(chunk), kind: textKindOf(chunk) };
    const incident = incidents.get(id);
    if (incident) return { ...sourceOf(incident), kind: "incident" as const };
    const question = pastAnswers.get(id);
    if (question !== undefined) return { id, title: question, source: null, heading: "", kind: "past_answer" as const };
    const check = checks.get(id);
    if (check) return checkSource(check);
    throw new Error(`The answer cites ${id}, which was not recalled.`);
  });
}

function checkSource({ id, name, source, runbook }: CheckResult) {
  return { id, title: `Check "${name}"`, source, heading: runbook, kind: "check" as const };
}

function sourceOf(document: SearchDocument) {
  return {
    id: document.id,
    title: document.title,
    source: document.source,
    heading: document.headingPath.join(" › "),
  };
}
