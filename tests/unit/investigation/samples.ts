// Sample values for tests of investigations: incidents, recalls, drafts, models and
// services.

import { USUAL_SCALE } from "../../../functions/adapters/embedder.ts";
import { EVIDENCE_CLIENTS } from "../../../functions/adapters/evidence/clients.ts";
import { type LanguageModel, type ModelRequest, readAnswer } from "../../../functions/adapters/language-model.ts";
import type { Reranker } from "../../../functions/adapters/reranker.ts";
import { type Config, type Environment, readConfig } from "../../../functions/config.ts";
import { createEvidenceSources } from "../../../functions/evidence-sources/create-evidence-sources.ts";
import { withEvidence } from "../../../functions/incidents/create-incident.ts";
import { createGuard } from "../../../functions/incidents/guard-request.ts";
import type { Draft } from "../../../functions/investigation/prompts/synthesise.ts";
import {
  NOTHING_RECALLED,
  type Recall,
  type RecalledIncident,
  type RecalledRunbook,
} from "../../../functions/investigation/recall/recall-result.ts";
import type { Likeness } from "../../../functions/investigation/relevance/likeness.ts";
import { logOddsOf, type Relevance } from "../../../functions/investigation/relevance/relevance.ts";
import { RELEVANCE_MODELS } from "../../../functions/investigation/relevance/relevance-model.ts";
import { createCalibrationStore } from "../../../functions/investigation/run/calibration-store.ts";
import type { InvestigationServices, Models } from "../../../functions/investigation/run/investigation-services.ts";
import { createQueryCache } from "../../../functions/investigation/run/query-cache.ts";
import { createDomainStore } from "../../../functions/knowledge/domain-store.ts";
import { type Observation, observationFromDocument } from "../../../functions/memory/observation.ts";
import type { RecalledProcedure } from "../../../functions/memory/procedures.ts";
import type { RecalledPastAnswer } from "../../../functions/memory/recall-memory.ts";
import type { ShownFix } from "../../../functions/schemas/answer.ts";
import { EMPTY_ANSWER, type PastFix } from "../../../functions/schemas/answer.ts";
import type { Incident } from "../../../functions/schemas/incident.ts";
import { NOTHING_OBSERVED } from "../../../functions/schemas/live-evidence.ts";
import type { IncidentHit, TriageResult } from "../../../functions/schemas/triage-result.ts";
import type { HybridHit } from "../../../functions/search-index/hybrid-search.ts";
import type { SearchDocument } from "../../../functions/search-index/search-document.ts";
import type { IndexStores } from "../../../functions/search-index/search-services.ts";
import type { Log, LogFields } from "../../../functions/telemetry/log.ts";
import { createTracer } from "../../../functions/telemetry/trace-recorder.ts";
import { createPendingReplies } from "../../../functions/write-buffer.ts";
import { chunkMarkdown } from "../../../lib/markdown/chunk-markdown.ts";
import { hiddenAddresses } from "../../../lib/redaction/personal/ip-addresses.ts";
import { createRedact } from "../../../lib/redaction/redact.ts";
import { splitInternals } from "../../support/internals.ts";
import { createTestTimers } from "../../support/test-timers.ts";

export const NOW = new Date("2026-03-01T12:00:00Z");

/** Its evidence is read from its headline and logs, unless the changes have some. */
export function sampleIncident(changes: Partial<Incident> = {}): Incident {
  const { evidence, ...others } = changes;
  const incident = withEvidence({
    id: "incident-now",
    createdAt: NOW,
    title: "api-gateway container exited with code 137",
    question: null,
    searchQuery: null,
    target: "api-gateway",
    severity: "high",
    labels: {},
    logs: null,
    runbook: null,
    expression: null,
    reportedBy: null,
    sessionId: "session-1",
    domain: {
      name: "docker",
      rule: 'words "docker"',
      decidedBy: "words",
      limitsSearch: false,
      preferred: { docker: 1 },
      excluded: [],
      isFirm: true,
    },
    type: { name: "oom_killed", rule: 'words "exited with code 137"' },
    ...others,
  });
  return evidence ? { ...incident, evidence } : incident;
}

/** A hit of the keyword search alone. */
export function hitOf(document: SearchDocument, score = 0.016): HybridHit {
  return {
    document,
    score,
    contributions: { bm25: { rank: 1, value: score } },
    bm25: { score: 7.5, terms: { "137": 7.5 } },
  };
}

/** Thresholds of the outcomes, as configured by default. */
export const THRESHOLDS = { ANSWER_THRESHOLD: 0.55, POSSIBLE_THRESHOLD: 0.3 };

export function sampleRelevance(probability: number): Relevance {
  const logOdds = logOddsOf(Math.min(0.999, Math.max(0.001, probability)));
  return { probability, logOdds, contributions: { bias: -1, coverage: logOdds + 1 } };
}

/** A recalled runbook, cut into chunks as ingestion cuts it; its ids are `<source>#<index>`. */
export function sampleRunbook(
  markdown: string,
  {
    source = "exit-137.md",
    probability = 0.8,
    size = 400,
    overlap = 50,
  }: { source?: string; probability?: number; size?: number; overlap?: number } = {},
): RecalledRunbook {
  const sections = chunkMarkdown(markdown, source, { size, overlap }).map(
    (chunk): SearchDocument => ({
      id: `${source}#${chunk.index}`,
      source,
      chunkIndex: chunk.index,
      title: chunk.title,
      headingPath: chunk.headingPath,
      body: chunk.body,
      metadata: { kind: "runbook", domain: "docker", incident_type: "oom_killed" },
      writtenAt: NOW,
    }),
  );
  const [first] = sections;
  return {
    source,
    key: source,
    isOverview: false,
    title: first?.title ?? source,
    relevance: sampleRelevance(probability),
    hits: first ? [hitOf(first)] : [],
    sections,
  };
}

export function samplePastIncident(
  id: string,
  {
    probability = 0.8,
    title = "api-gateway was OOMKilled",
    row = {},
    likeness = { alike: [], differs: [] },
    ...metadata
  }: {
    probability?: number;
    title?: string;
    target?: string;
    likeness?: Likeness;
    resolution?: string;
    resolved_by?: string;
    /** Overrides of the row in Postgres. */
    row?: Partial<Observation>;
  } = {},
): RecalledIncident {
  const document: SearchDocument = {
    id,
    source: null,
    chunkIndex: null,
    title,
    headingPath: [],
    body: "Type: oom_killed\nSeverity: high",
    metadata: {
      domain: "docker",
      severity: "high",
      incident_type: "oom_killed",
      stored_at: "2026-01-15T08:30:00.000Z",
      ...metadata,
    },
    writtenAt: new Date("2026-01-15T08:30:00Z"),
  };
  const observation = { ...observationFromDocument(document), ...row };
  const ranking = { similarity: 0.86, quality: 0.5, adjust: 1, decay: 1 };
  return {
    hit: { ...hitOf(document), observation, ranking },
    relevance: sampleRelevance(probability),
    closeness: 1,
    likeness,
  };
}

/** A past incident as an answer shows it. */
export function samplePastFix(changes: Partial<PastFix> = {}): PastFix {
  return {
    text: "Fixed by: More memory.",
    citations: [],
    supported: true,
    same_failure: false,
    probability: 0.8,
    alike: [],
    differs: [],
    recurrence: {
      count: 1,
      first_at: "2026-01-15T08:30:00.000Z",
      last_at: "2026-01-15T08:30:00.000Z",
      targets: [],
      more_targets: 0,
    },
    fix: null,
    also_helped: [],
    retired: [],
    did_not_hold: 0,
    did_not_help: [],
    ...changes,
  };
}

/** A past incident without a fix, as a search shows it. */
export function sampleIncidentHit(changes: Partial<IncidentHit> = {}): IncidentHit {
  const at = "2026-01-15T08:30:00.000Z";
  return {
    id: "past-1",
    title: "worker was OOMKilled",
    score: 0.8,
    features: {},
    probability: 0.8,
    relevance: { log_odds: 1.386, contributions: {} },
    relevant: true,
    ranking: { similarity: 0.86, quality: 0.5, adjust: 1, decay: 1 },
    narrative: "",
    facts: [],
    final_score: null,
    effective_review_score: null,
    occurrences: 1,
    first_seen_at: at,
    last_seen_at: at,
    targets: [],
    alike: [],
    differs: [],
    fixes: [],
    target: "worker",
    severity: "high",
    incident_type: "oom_killed",
    reported_at: at,
    resolution: null,
    resolved_by: null,
    resolved_at: null,
    ...changes,
  };
}

/** A fix of an answer that was tried once. */
export function sampleShownFix(changes: Partial<ShownFix> = {}): ShownFix {
  return {
    text: "More memory.",
    by: "dana",
    at: "2026-01-16T10:00:00.000Z",
    conditions: null,
    tried: 1,
    worked: 1,
    last_worked_at: "2026-01-16T10:00:00.000Z",
    imported_from: null,
    came_back_at: null,
    ...changes,
  };
}

/** A similar past answer of another session. */
export function sampleMemory(id: string, changes: Partial<RecalledPastAnswer> = {}): RecalledPastAnswer {
  return {
    id,
    question: "Why does worker restart?",
    answer: "Its probe is too strict.",
    createdAt: new Date("2026-02-01T09:00:00Z"),
    sessionId: "session-0",
    rating: 2,
    isSummary: false,
    score: 0.9,
    ranking: { cosine: 0.8, rating: 0.1, session: 0, decay: 1 },
    ...changes,
  };
}

/** A procedure similar enough to be shown, but not similar enough to merge. */
export function sampleProcedure(changes: Partial<RecalledProcedure> = {}): RecalledProcedure {
  return {
    id: "procedure-1",
    query: "oom killed worker",
    strategy: "retrieval_hits=3, memory_hits=1, reflected=false",
    answer: "The limit was too low.",
    confidence: 0.9,
    useCount: 2,
    lastUsedAt: new Date("2026-02-01T09:00:00Z"),
    cosine: 0.8,
    isSame: false,
    ...changes,
  };
}

/** A model's result with a trusted cause and an empty recall. */
export function sampleResult(changes: Partial<TriageResult> = {}): TriageResult {
  return {
    triage_id: "triage-1",
    incident_id: "incident-now",
    session_id: "session-1",
    created_at: NOW.toISOString(),
    mode: "model",
    title: "api-gateway container exited with code 137",
    target: "api-gateway",
    severity: "high",
    domain: { name: "docker", rule: 'words "docker"', decided_by: "none", looked_further: false },
    incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
    search_query: null,
    outcome: "cause",
    confidence: 0.9,
    answer: { ...EMPTY_ANSWER, summary: { text: "It was killed at its memory limit.", citations: [] } },
    checks: [],
    live: NOTHING_OBSERVED,
    placeholders: {},
    sources: [],
    recalled: { runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null },
    relevance_model: "test",
    guardrails: {
      injection_blocked: null,
      lines_removed: 0,
      redacted: {},
      citations_removed: 0,
      links_removed: 0,
      statements_removed: 0,
    },
    model: null,
    critique: { initial_confidence: 0.9, feedback: "Sound.", reflected: false, changes: null },
    usage: { calls: 0, input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_usd: null },
    elapsed_ms: 412,
    traffic: "production",
    trace: null,
    warnings: [],
    persisted: true,
    ...changes,
  };
}

export function recallOf(parts: Partial<Recall>): Recall {
  return { ...NOTHING_RECALLED, ...parts };
}

export function sampleConfig(settings: Environment = {}): Config {
  const { environment, internals } = splitInternals(settings);
  return readConfig(
    {
      SUPABASE_URL: "http://localhost:54321",
      SUPABASE_SERVICE_ROLE_KEY: "role-key",
      CHROMA_URL: "http://localhost:8000",
      EMBEDDING_MODEL: "workers-ai:bge",
      ...environment,
    },
    internals,
  );
}

/** A draft with a cause, supported by R1 and the title of the sample incident. */
export function sampleDraft(changes: Partial<Draft> = {}): Draft {
  return {
    evidence: [{ quote: "exited with code 137", citations: ["R1"], text: "The kernel killed it." }],
    outcome: "cause",
    hypotheses: [
      { citations: ["R1"], verdict: "kept", cause: "It went over its limit.", reason: "137 is SIGKILL." },
      { citations: ["R1"], verdict: "rejected", cause: "Somebody stopped it.", reason: "Nobody says so." },
    ],
    summary: { citations: ["R1"], text: "It was killed at its memory limit." },
    confirm: [{ citations: ["R1"], text: "Ask Docker.", command: "docker inspect api-gateway" }],
    mitigate: [
      {
        citations: ["R1"],
        text: "Raise the limit.",
        command: "docker update --memory 1g api-gateway",
        effect: "changes_state",
        rollback: "Set the former limit.",
      },
    ],
    worked_before: [],
    prevention: [{ citations: ["R1"], text: "Alert at 80 %." }],
    look_next: [],
    ...changes,
  };
}

/** A recorded request. */
export type AskedRequest = Pick<ModelRequest<unknown>, "instructions" | "turns" | "maxOutputTokens" | "timeoutMs">;

/** The text of an answer, an answer, or an error. */
export type Reply = string | object | Error;

export interface ScriptedModel extends LanguageModel {
  readonly requests: readonly AskedRequest[];
}

/** A model with scripted replies. Each counts 10 input tokens, 4 of them cached, and 2 output tokens. */
export function scriptedModel(replies: readonly Reply[], name = "test:scripted"): ScriptedModel {
  const requests: AskedRequest[] = [];
  return {
    name,
    requests,
    async ask({ schema, onUsage, onPartial, instructions, turns, maxOutputTokens, timeoutMs }) {
      const reply = replies[requests.length];
      requests.push({ instructions, turns: [...turns], maxOutputTokens, timeoutMs });
      if (reply === undefined) throw new Error(`The script has ${replies.length} replies; another one was asked for.`);
      onUsage({ input: 10, cachedInput: 4, output: 2 });
      if (reply instanceof Error) throw reply;
      if (typeof reply === "object") onPartial?.(reply, 1);
      return readAnswer(schema, typeof reply === "string" ? reply : JSON.stringify(reply));
    },
  };
}

export function modelsOf(answer: LanguageModel, small: LanguageModel = answer): Models {
  return { answer: { model: answer, price: null }, small: { model: small, price: null } };
}

/** Services without stores: every access to one fails. */
export function sampleServices(
  parts: {
    readonly environment?: Environment;
    readonly models?: Models;
    readonly reranker?: Reranker;
    readonly now?: () => Date;
  } = {},
): InvestigationServices & { readonly logged: readonly { readonly event: string; readonly fields: LogFields }[] } {
  const logged: { event: string; fields: LogFields }[] = [];
  const { startTimer } = createTestTimers();
  const config = sampleConfig(parts.environment);
  const redact = createRedact(hiddenAddresses(config.REDACT_PRIVATE_ADDRESSES));
  const log: Log = (level, event, fields = {}) => logged.push({ event: `${level} ${event}`, fields });
  return {
    ...NO_STORES,
    background: NO_STORES,
    domains: createDomainStore(),
    evidenceSources: createEvidenceSources({ fixed: [], clients: EVIDENCE_CLIENTS, environment: {}, startTimer }),
    redact,
    guard: createGuard(redact),
    restriction: null,
    restrictedTo: () => {
      throw new Error("This test has no restricted callers.");
    },
    calibrations: createCalibrationStore(untouched),
    queryCache: createQueryCache(60_000, startTimer),
    relevanceModels: RELEVANCE_MODELS,
    models: parts.models ?? null,
    reranker: parts.reranker ?? null,
    annotations: null,
    config,
    now: parts.now ?? (() => NOW),
    startTimer,
    newId: () => "run-1",
    writeBuffer: { send: async () => false },
    pendingReplies: createPendingReplies(() => NOW),
    log,
    logged,
    tracer: createTracer({ hidesTexts: false, redact }, null),
    enqueueRuns: async () => 0,
    deliverNotifications: async () => ({}),
    scheduleOutboxDrain: untouched,
  };
}

async function untouched(): Promise<never> {
  throw new Error("This test has no stores.");
}

const NO_STORES: IndexStores = {
  database: { call: untouched },
  vectors: {
    fingerprint: "none",
    initialize: untouched,
    store: untouched,
    search: untouched,
    distances: untouched,
    ids: untouched,
    find: untouched,
    delete: untouched,
    collections: untouched,
    vectors: untouched,
    drop: untouched,
    version: untouched,
  },
  embedder: { model: "none", dimensions: 1, scale: USUAL_SCALE, embed: untouched },
};
