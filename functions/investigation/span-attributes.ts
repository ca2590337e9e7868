// Owns what the spans of an investigation say of each step. Pure; scrubbing, cutting and hiding are the tracing's.

import { costOf, type ModelTurn, type TokenUsage } from "../adapters/language-model.ts";
import type { OutsideError } from "../dependencies.ts";
import type { GuardFindings } from "../incidents/guard-request.ts";
import { sourceKindOf } from "../knowledge/source-documents.ts";
import type { Learnt } from "../memory/recall-memory.ts";
import type { Incident } from "../schemas/incident.ts";
import type { Reranking, TriageResult } from "../schemas/triage-result.ts";
import type { HybridHit } from "../search-index/hybrid-search.ts";
import {
  type Attributes,
  documents,
  input,
  messages,
  metadata,
  output,
  SemanticConventions,
  type TracedDocument,
} from "../telemetry/openinference.ts";
import type { TriageOutcome } from "./run/run-outcome.ts";
import { PROMPT_VERSION } from "./prompts/version.ts";
import { kindOf, type RecalledRunbook } from "./recall/recall-result.ts";
import type { PricedModel } from "./services.ts";

/** The report as it came in, after the guard. */
export function reportAttributes(incident: Incident, runId: string): Attributes {
  const { title, question, target, logs } = incident;
  const said = [title, question === title ? null : question, target && `Target: ${target}`, logs && `Logs:\n${logs}`];
  return {
    ...input(said.filter((part) => part !== null).join("\n")),
    [SemanticConventions.SESSION_ID]: incident.sessionId,
    "dejavu.incident_id": incident.id,
    "dejavu.run_id": runId,
  };
}

/** Said last at the root: who repeats a request reports no incident and begins no run, whatever was said of them before. */
export function outcomeAttributes(outcome: TriageOutcome): Attributes {
  if (outcome.state !== "answered") {
    // The first request told all the rest, in its own trace.
    const recorded = outcome.state === "replayed" ? outcome.result : null;
    return {
      "dejavu.state": outcome.state,
      [SemanticConventions.SESSION_ID]: recorded?.session_id ?? null,
      "dejavu.incident_id": recorded?.incident_id ?? null,
      "dejavu.triage_id": recorded?.triage_id ?? null,
      "dejavu.run_id": null,
    };
  }
  const { result } = outcome;
  const { guardrails, usage, domain, critique } = result;
  const codes = result.warnings.map(({ system, code }) => `${system}:${code}`);
  return {
    ...output(result.answer.summary.text),
    ...metadata({
      incident_id: result.incident_id,
      triage_id: result.triage_id,
      domain: domain.name,
      incident_type: result.incident_type.name,
      severity: result.severity,
      mode: result.mode,
      outcome: result.outcome,
      confidence: result.confidence,
    }),
    [SemanticConventions.TAG_TAGS]: [domain.name, result.mode, result.outcome, result.traffic],
    "dejavu.state": outcome.state,
    "dejavu.triage_id": result.triage_id,
    "dejavu.domain": domain.name,
    "dejavu.domain_rule": domain.rule,
    "dejavu.incident_type": result.incident_type.name,
    "dejavu.severity": result.severity,
    "dejavu.mode": result.mode,
    "dejavu.outcome": result.outcome,
    "dejavu.confidence.initial": critique?.initial_confidence ?? result.confidence,
    "dejavu.confidence.final": result.confidence,
    "dejavu.reflected": critique?.reflected ?? false,
    ...findingAttributes(guardrails),
    "dejavu.warnings": codes,
    "dejavu.persisted": result.persisted,
    "dejavu.model_calls": usage.calls,
    "dejavu.tokens": usage.input_tokens + usage.output_tokens,
    "dejavu.cost_usd": usage.cost_usd,
  };
}

export function findingAttributes({ injection_blocked, lines_removed, redacted }: GuardFindings): Attributes {
  const counts = Object.entries(redacted);
  return {
    "dejavu.pii_scrubbed": counts.length > 0,
    ...Object.fromEntries(counts.map(([kind, count]) => [`dejavu.redacted.${kind.toLowerCase()}`, count])),
    "dejavu.lines_removed": lines_removed,
    "dejavu.injection_blocked": injection_blocked,
  };
}

/** What verifying and scrubbing took out of the answer. */
export function removedAttributes({ guardrails, answer }: TriageResult): Attributes {
  return {
    ...output(answer.summary.text),
    "dejavu.citations_removed": guardrails.citations_removed,
    "dejavu.links_removed": guardrails.links_removed,
    "dejavu.statements_removed": guardrails.statements_removed,
  };
}

export function foundRunbooks(
  query: string,
  { hits, missing }: { readonly hits: readonly HybridHit[]; readonly missing: readonly OutsideError[] },
): Attributes {
  return found(
    query,
    hits.map(({ document, score, distance, bm25 }) => ({
      id: document.id,
      content: document.body,
      score,
      metadata: {
        kind: sourceKindOf(document),
        source: document.source,
        title: document.title,
        heading: document.headingPath.join(" › "),
        distance,
        bm25: bm25?.score,
      },
    })),
    missing,
  );
}

/** Past incidents, then earlier answers, then the proven approach. */
export function foundMemory(query: string, { incidents, memories, procedure, missing }: Learnt): Attributes {
  const known: TracedDocument[] = [
    ...incidents.map(({ document, observation, score, distance }) => ({
      id: document.id,
      content: document.body,
      score,
      metadata: { kind: "incident", title: observation.title, is_resolved: observation.resolution !== null, distance },
    })),
    ...memories.map(({ id, question, answer, score }) => ({
      id,
      content: answer,
      score,
      metadata: { kind: "memory", title: question },
    })),
    ...(procedure === null
      ? []
      : [
          {
            id: procedure.id,
            content: procedure.answer,
            score: procedure.cosine,
            metadata: { kind: "procedure", title: procedure.query },
          },
        ]),
  ];
  return found(query, known, missing);
}

function found(query: string, known: readonly TracedDocument[], missing: readonly OutsideError[]): Attributes {
  return {
    ...input(query),
    ...documents("RETRIEVAL_DOCUMENTS", known),
    "dejavu.hits": known.length,
    "dejavu.missing": [...new Set(missing.map(({ system, failure }) => `${system}:${failure}`))],
  };
}

/** What a reranker is asked; its candidates in the order of the searches. */
export function askedToRerank(
  { model, query, texts }: { readonly model: string; readonly query: string; readonly texts: readonly string[] },
  candidates: readonly RecalledRunbook[],
): Attributes {
  return {
    ...input(query),
    [SemanticConventions.RERANKER_QUERY]: query,
    [SemanticConventions.RERANKER_MODEL_NAME]: model,
    [SemanticConventions.RERANKER_TOP_K]: candidates.length,
    ...documents(
      "RERANKER_INPUT_DOCUMENTS",
      candidates.map((candidate, i) => ({
        id: candidate.source,
        content: texts[i] ?? "",
        score: candidate.hits[0]?.score ?? 0,
        metadata: { kind: kindOf(candidate), source: candidate.source, title: candidate.title },
      })),
    ),
  };
}

export function reranked({ documents: judged }: Reranking, candidates: readonly RecalledRunbook[]): Attributes {
  const kinds = new Map(candidates.map((candidate) => [candidate.source, kindOf(candidate)]));
  return documents(
    "RERANKER_OUTPUT_DOCUMENTS",
    judged.map(({ source, title, before, after }) => ({
      id: source,
      score: after.score,
      metadata: { kind: kinds.get(source), source, title, place_before: before.place },
    })),
  );
}

/** The steps whose instructions the version of the prompts is made of. */
const VERSIONED = new Set(["classify", "synthesise", "critique", "reflect"]);
const PROVIDERS: Readonly<Record<string, string>> = { anthropic: "anthropic", "workers-ai": "cloudflare" };
const SYSTEMS: Readonly<Record<string, string>> = { anthropic: "anthropic", "openai-compatible": "openai" };

export interface AskedModel {
  readonly step: string;
  /** From 1; further ones send an unusable answer back. */
  readonly attempt: number;
  readonly instructions: string;
  readonly turns: readonly ModelTurn[];
  readonly maxOutputTokens: number;
  readonly priced: PricedModel;
}

export function askedModel({ step, attempt, instructions, turns, maxOutputTokens, priced }: AskedModel): Attributes {
  const { name } = priced.model;
  const [vendor = ""] = name.split(":", 1);
  return {
    ...input(turns.at(-1)?.text ?? ""),
    ...messages("LLM_INPUT_MESSAGES", [{ role: "system", text: instructions }, ...turns]),
    [SemanticConventions.LLM_MODEL_NAME]: name.slice(vendor.length + 1),
    [SemanticConventions.LLM_PROVIDER]: PROVIDERS[vendor],
    [SemanticConventions.LLM_SYSTEM]: SYSTEMS[vendor],
    [SemanticConventions.LLM_INVOCATION_PARAMETERS]: JSON.stringify({ max_tokens: maxOutputTokens }),
    [SemanticConventions.PROMPT_TEMPLATE_VERSION]: VERSIONED.has(step) ? PROMPT_VERSION : null,
    "dejavu.attempt": attempt,
  };
}

export function modelSaid(text: string): Attributes {
  return { ...output(text), ...messages("LLM_OUTPUT_MESSAGES", [{ role: "assistant", text }]) };
}

/** @param used nothing where no request was sent */
export function modelUsed(used: readonly TokenUsage[], { price }: PricedModel): Attributes {
  const sum = (of: (usage: TokenUsage) => number) => used.reduce((total, usage) => total + of(usage), 0);
  const [prompt, completion] = [sum(({ input: read }) => read), sum(({ output: written }) => written)];
  return {
    [SemanticConventions.LLM_TOKEN_COUNT_PROMPT]: prompt,
    [SemanticConventions.LLM_TOKEN_COUNT_COMPLETION]: completion,
    [SemanticConventions.LLM_TOKEN_COUNT_TOTAL]: prompt + completion,
    [SemanticConventions.LLM_TOKEN_COUNT_PROMPT_DETAILS_CACHE_READ]: sum(({ cachedInput }) => cachedInput),
    [SemanticConventions.LLM_COST_TOTAL]: price && sum((usage) => costOf(usage, price)),
    "dejavu.requests": used.length,
  };
}
