// Step "recall": searches runbooks, past incidents, past answers and procedures in parallel. If a search fails, the others
// still give a result.

import type { Config } from "../../config.ts";
import type { DependencyError } from "../../dependencies.ts";
import { settle } from "../../dependencies.ts";
import type { SessionPastAnswers } from "../../incidents/run-records.ts";
import { readAttachedRunbook } from "../../knowledge/attached-runbook.ts";
import { type RecallQuery, recallRunbooks } from "../../knowledge/recall-runbooks.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import { fingerprint } from "../../memory/fingerprint.ts";
import { type MemoryQuery, recallMemory } from "../../memory/recall-memory.ts";
import { errorLines } from "../../retrieval/text/error-lines.ts";
import { tokenize } from "../../retrieval/text/tokenize.ts";
import { withoutName } from "../../retrieval/text/without-name.ts";
import { UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { type Incident, recallQuery } from "../../schemas/incident.ts";
import { BothSearchesFailed, type HybridHit, type HybridResult } from "../../search-index/hybrid-search.ts";
import type { SearchDocument } from "../../search-index/search-document.ts";
import { embedding, input } from "../../telemetry/openinference.ts";
import { inSpan } from "../../telemetry/span.ts";
import {
  assessGrounding,
  createRelevanceCriteria,
  type RelevanceCriteria,
  roundShare,
} from "../relevance/relevance-criteria.ts";
import type { InvestigationServices } from "../run/services.ts";
import { placeAttachedFirst } from "./attached-first.ts";
import { memoryRecallAttributes, runbookRecallAttributes } from "./recall-attributes.ts";
import type { Recall, RecalledIncident, RecalledRunbook } from "./recall-result.ts";
import { RecallUnavailable } from "./recall-result.ts";

/**
 * Searches for everything that may help with the incident. `missing` of the result lists the failed dependencies.
 * @param sessionPastAnswers ids of the session's newest past answers, by domain
 * @throws RecallUnavailable when every search of runbooks and past incidents failed
 */
export async function recall(
  services: InvestigationServices,
  incident: Incident,
  sessionPastAnswers: SessionPastAnswers,
): Promise<Recall> {
  const { config } = services;
  const lines = incident.logs === null ? [] : errorLines(incident.logs);
  const query = createRecallQuery(services, incident, lines);
  const ageing = { now: incident.createdAt, halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS };
  const failureQuery = createFailureQuery(services, incident, lines);
  const [runbooks, attached, memory] = await Promise.all([
    inSpan("RETRIEVER", "recall runbooks", async (span) => {
      const search = await orEmpty(recallRunbooks(services, query, ageing));
      span.set(() => runbookRecallAttributes(query.keywords, search));
      if (search.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
      return search;
    }),
    settle(
      incident.runbook === null ? NO_SECTIONS : readAttachedRunbook(services.database, query.domain, incident.runbook),
    ),
    inSpan("RETRIEVER", "recall memory", async (span) => {
      const search = await recallMemory(services, {
        ...query,
        failure: failureQuery,
        incidentId: incident.id,
        fingerprint: fingerprint(incident),
        sessionId: incident.sessionId,
        sessionPastAnswers: sessionPastAnswers[incident.domain.name] ?? [],
        now: incident.createdAt,
        limits: recallLimits(config),
      });
      span.set(() => memoryRecallAttributes(failureQuery.keywords, search));
      if (search.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
      return search;
    }),
  ]);
  if (runbooks.failed && memory.failed) throw new RecallUnavailable(distinctFailures(runbooks.missing));

  // Incidents are scored with the term statistics of the runbooks too: the statistics of a small memory do not show which
  // words are common.
  const statistics = Object.keys(runbooks.terms).length > 0 ? runbooks.terms : memory.terms;
  const criteria = createRelevanceCriteria(incident, lines, statistics, {
    unrelated: config.RELEVANCE_UNRELATED,
    close: config.RELEVANCE_CLOSE,
    corrections: runbooks.corrections,
  });
  return {
    runbooks: placeAttachedFirst(groupBySource(runbooks, criteria), attached.ok ? attached.value : []),
    incidents: memory.incidents
      .map((hit) => ({ hit, grounding: assessGrounding(criteria, [hit.document], [hit]) }))
      .sort((a, b) => compareIncidents(a, b, incident, config))
      .slice(0, config.INCIDENT_RECALL_LIMIT),
    pastAnswers: memory.pastAnswers,
    procedure: memory.procedure,
    repeatOf: memory.repeatOf,
    missing: distinctFailures([...runbooks.missing, ...(attached.ok ? [] : [attached.error]), ...memory.missing]),
  };
}

/**
 * Builds the query for runbooks, past answers and procedures. Past incidents have a query of their own, see
 * `createFailureQuery`.
 * @param lines error lines of the incident's log
 */
export function createRecallQuery(
  services: InvestigationServices,
  incident: Incident,
  lines: readonly string[],
): RecallQuery {
  const headline = recallQuery(incident);
  return {
    domain: incident.domain.name,
    vector: embedQuery(services, "embed query", headline),
    keywords: [headline, incident.target ?? "", ...lines].join("\n"),
    candidates: services.config.SEARCH_CANDIDATES,
    incidentType: incident.type.name === UNKNOWN_INCIDENT_TYPE ? undefined : incident.type.name,
  };
}

/**
 * Builds the query for past incidents. It leaves out the target's name: the name is a rare word, so incidents of the same
 * target would outrank incidents of the same failure. It includes the error lines: often they alone distinguish similar
 * failures.
 */
function createFailureQuery(
  services: InvestigationServices,
  incident: Incident,
  lines: readonly string[],
): MemoryQuery["failure"] {
  const reportText = [recallQuery(incident), ...lines].join("\n");
  const nameless = withoutName(reportText, incident.target ?? "");
  // If the report is nothing but the name, search for the name.
  const text = tokenize(nameless).length > 0 ? nameless : reportText;
  return { vector: embedQuery(services, "embed failure", text), keywords: text };
}

export function recallLimits(config: Config): MemoryQuery["limits"] {
  return {
    maxDistance: config.INCIDENT_MAX_DISTANCE,
    halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS,
    sessionBoost: config.SESSION_BOOST,
    pastAnswers: config.PAST_ANSWER_RECALL_LIMIT,
    unrelated: config.RELEVANCE_UNRELATED,
    close: config.RELEVANCE_CLOSE,
  };
}

/** Relevant incidents with a fix come first, then the higher score; at equal rounded scores, the same target. */
function compareIncidents(a: RecalledIncident, b: RecalledIncident, { target }: Incident, config: Config): number {
  const isSameTarget = ({ hit }: RecalledIncident) => Number(target !== null && hit.observation.target === target);
  return (
    Number(hasRelevantFix(b, config)) - Number(hasRelevantFix(a, config)) ||
    roundShare(b.hit.score) - roundShare(a.hit.score) ||
    isSameTarget(b) - isSameTarget(a) ||
    b.hit.score - a.hit.score
  );
}

/** Whether the incident is relevant and has a recorded fix. */
function hasRelevantFix({ hit, grounding }: RecalledIncident, config: Pick<Config, "GROUNDING_THRESHOLD">): boolean {
  return grounding >= config.GROUNDING_THRESHOLD && hit.observation.resolution !== null;
}

function embedQuery({ embedder }: InvestigationServices, step: string, text: string): Promise<readonly number[]> {
  return inSpan("EMBEDDING", step, async (span) => {
    span.set(() => ({ ...input(text), ...embedding(embedder.model, text) }));
    const [vector] = await embedder.embed([text]);
    return vector ?? [];
  });
}

const NO_SECTIONS: Promise<SearchDocument[]> = Promise.resolve([]);

/** `failed`: neither keywords nor vectors could be searched. */
type RunbookSearch = HybridResult & { readonly failed: boolean };

/** Returns an empty result when both searches failed, so that the search of memory can still give a result. */
async function orEmpty(search: Promise<HybridResult>): Promise<RunbookSearch> {
  try {
    return { ...(await search), failed: false };
  } catch (error) {
    if (!(error instanceof BothSearchesFailed)) throw error;
    return {
      hits: [],
      siblings: [],
      terms: {},
      corrections: {},
      pending: new Set(),
      missing: error.failures,
      failed: true,
    };
  }
}

/** Groups hits by runbook, ordered by the score of each runbook's best chunk. */
function groupBySource(result: HybridResult, criteria: RelevanceCriteria): RecalledRunbook[] {
  const groups = new Map<string, HybridHit[]>();
  for (const hit of result.hits) {
    const source = hit.document.source ?? hit.document.id;
    groups.set(source, [...(groups.get(source) ?? []), hit]);
  }
  return [...groups]
    .map(([source, hits]) => {
      const documents = [
        ...hits.map((hit) => hit.document),
        ...result.siblings.filter((chunk) => chunk.source === source),
      ];
      return {
        source,
        title: hits[0]?.document.title ?? source,
        grounding: assessGrounding(criteria, assessedDocuments(documents, hits), hits),
        hits,
        sections: documents.sort((a, b) => (a.chunkIndex ?? 0) - (b.chunkIndex ?? 0)),
      };
    })
    .sort((a, b) => sourceScore(b) - sourceScore(a) || (a.source < b.source ? -1 : 1));
}

/**
 * Returns the chunks that decide the grounding. For a runbook these are all sections, because it covers one failure. For a
 * note, log or postmortem, which may cover several failures, these are the two best hits.
 */
function assessedDocuments(
  documents: readonly SearchDocument[],
  hits: readonly HybridHit[],
): readonly SearchDocument[] {
  const [best] = hits;
  if (!best || sourceKindOf(best.document) === "runbook") return documents;
  return hits.slice(0, 2).map(({ document }) => document);
}

function sourceScore({ hits }: RecalledRunbook): number {
  return hits[0]?.score ?? 0;
}

/** Drops repetitions of the same failure of the same dependency. */
function distinctFailures(failures: readonly DependencyError[]): DependencyError[] {
  return [...new Map(failures.map((failure) => [`${failure.dependency} ${failure.failure}`, failure])).values()];
}
