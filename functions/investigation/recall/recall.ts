// Step "recall": searches runbooks, past incidents, past answers and procedures in parallel. If a search fails, the others
// still give a result.

import type { Config } from "../../config.ts";
import type { DependencyError } from "../../dependencies.ts";
import type { SessionPastAnswers } from "../../incidents/run-records.ts";
import { scopeOf } from "../../knowledge/domains/route-domain.ts";
import { type RecallQuery, recallRunbooks, runbookQuery } from "../../knowledge/recall-runbooks.ts";
import { sourceKindOf } from "../../knowledge/source-documents.ts";
import { fingerprint } from "../../memory/fingerprint.ts";
import { incidentQuery, type MemoryQuery, recallMemory } from "../../memory/recall-memory.ts";
import { searchLines } from "../../retrieval/error-lines/search-lines.ts";
import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";
import { UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { type Incident, recallQuery, searchText } from "../../schemas/incident.ts";
import {
  BothSearchesFailed,
  type HybridHit,
  type HybridResult,
  type KeywordResult,
  searchKeywordsTogether,
} from "../../search-index/hybrid-search.ts";
import { domainOf, type SearchDocument } from "../../search-index/search-document.ts";
import { inSpan } from "../../telemetry/span.ts";
import { calibrated } from "../relevance/relevance.ts";
import {
  assessRelevance,
  createRelevanceCriteria,
  type RelevanceCriteria,
  roundShare,
} from "../relevance/relevance-criteria.ts";
import type { InvestigationServices } from "../run/services.ts";
import { placeAttachedFirst } from "./attached-first.ts";
import { embedReport, failureText, type ReportVectors } from "./embed-report.ts";
import { memoryRecallAttributes, runbookRecallAttributes } from "./recall-attributes.ts";
import type { Recall, RecalledIncident, RecalledRunbook } from "./recall-result.ts";
import { RecallUnavailable } from "./recall-result.ts";

export interface RecallContext {
  /** Ids of the session's newest past answers. */
  readonly sessionPastAnswers: SessionPastAnswers;
  /** Sections of the runbook that the report names; empty if it is not stored. */
  readonly attached: readonly SearchDocument[];
  /** Vectors of the report before its classification, if they were requested. */
  readonly vectors?: ReportVectors | undefined;
  /** Of the deployment; the default if omitted. */
  readonly calibration?: Calibration | undefined;
}

/**
 * Searches for everything that may help with the incident. `missing` of the result lists the failed dependencies.
 * @throws RecallUnavailable when every search of runbooks and past incidents failed
 */
export async function recall(
  services: InvestigationServices,
  incident: Incident,
  { sessionPastAnswers, attached, vectors: early, calibration = DEFAULT_CALIBRATION }: RecallContext,
): Promise<Recall> {
  const { config, database } = services;
  const lines = searchLines(incident.evidence);
  const vectors = early?.text === searchText(incident) ? early : embedReport(services, incident);
  const query = createRecallQuery(services, incident, vectors.report);
  const memoryQuery: MemoryQuery = {
    ...query,
    domain: incident.domain.name,
    failure: { vector: vectors.failure, keywords: failureText(incident, recallQuery(incident)) },
    incidentId: incident.id,
    fingerprint: fingerprint(incident),
    sessionId: incident.sessionId,
    sessionPastAnswers,
    now: incident.createdAt,
    limits: recallLimits(config),
  };
  const [runbookKeywords, incidentKeywords] = searchKeywordsTogether(database, [
    runbookQuery(query),
    incidentQuery(memoryQuery),
  ]);
  const [{ search: runbooks, lookedFurther }, memory] = await Promise.all([
    searchRunbooks(services, incident, { query, lines, attached, calibration, keywordSearch: runbookKeywords }),
    inSpan("RETRIEVER", "recall memory", async (span) => {
      const search = await recallMemory(services, memoryQuery, incidentKeywords);
      span.set(() => memoryRecallAttributes(memoryQuery.failure.keywords, search));
      if (search.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
      return search;
    }),
  ]);
  if (runbooks.failed && memory.failed) throw new RecallUnavailable(distinctFailures(runbooks.missing));

  // Incidents are scored with the term statistics of the runbooks too: the statistics of a small memory do not show which
  // words are common.
  const statistics = Object.keys(runbooks.terms).length > 0 ? runbooks.terms : memory.terms;
  const criteria = createCriteria(services, incident, lines, { terms: statistics, corrections: runbooks.corrections });
  const incidents = memory.incidents.map((hit) => ({
    hit,
    relevance: calibrated(assessRelevance(criteria, [hit.document], [hit]), calibration),
  }));
  return {
    runbooks: placeAttachedFirst(groupBySource(runbooks, criteria, calibration), attached),
    lookedFurther,
    incidents: ownDomainFirst(incidents, query.scope, config)
      .sort((a, b) => compareIncidents(a, b, incident, config))
      .slice(0, config.INCIDENT_RECALL_LIMIT),
    pastAnswers: memory.pastAnswers,
    procedure: memory.procedure,
    repeatOf: memory.repeatOf,
    missing: distinctFailures([...runbooks.missing, ...memory.missing]),
  };
}

interface RunbookSearchInput {
  readonly query: RecallQuery;
  readonly lines: readonly string[];
  readonly attached: readonly SearchDocument[];
  readonly calibration: Calibration;
  readonly keywordSearch?: Promise<KeywordResult> | undefined;
}

export interface WidenedSearch {
  readonly search: RunbookSearch;
  /** Whether the search was limited to a domain and then covered the others too, because nothing there was relevant. */
  readonly lookedFurther: boolean;
}

/** Searches the domain that a label chose, and the others only if nothing there is relevant; otherwise all domains. */
export async function searchRunbooks(
  services: InvestigationServices,
  incident: Incident,
  { query, lines, attached, calibration, keywordSearch }: RunbookSearchInput,
): Promise<WidenedSearch> {
  const { config } = services;
  const ageing = { now: incident.createdAt, halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS };
  return inSpan("RETRIEVER", "recall runbooks", async (span) => {
    const search = await orEmpty(recallRunbooks(services, query, ageing, keywordSearch));
    const isRelevant = ({ relevance }: RecalledRunbook) => relevance.probability >= config.POSSIBLE_THRESHOLD;
    const criteria = createCriteria(services, incident, lines, search);
    const isCovered = attached.length > 0 || groupBySource(search, criteria, calibration).some(isRelevant);
    const lookedFurther = search.widen !== undefined && !isCovered;
    const widened = search.widen && lookedFurther ? await orEmpty(search.widen()) : search;
    // Without a relevant runbook anywhere, those of the domain are the nearest.
    const isFoundElsewhere = lookedFurther && groupBySource(widened, criteria, calibration).some(isRelevant);
    const result = isFoundElsewhere ? widened : { ...search, missing: widened.missing };
    span.set(() => runbookRecallAttributes(query.keywords, result));
    if (result.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
    return { search: result, lookedFurther };
  });
}

function createCriteria(
  { config }: InvestigationServices,
  incident: Incident,
  lines: readonly string[],
  { terms, corrections }: Pick<HybridResult, "terms" | "corrections">,
): RelevanceCriteria {
  const scale = { unrelated: config.RELEVANCE_UNRELATED, close: config.RELEVANCE_CLOSE };
  return createRelevanceCriteria(incident, lines, terms, { ...scale, corrections });
}

/** Leaves out incidents of other domains while the domains of a limited search have a relevant one. */
function ownDomainFirst(
  incidents: readonly RecalledIncident[],
  { only }: RecallQuery["scope"],
  config: Pick<Config, "POSSIBLE_THRESHOLD">,
): RecalledIncident[] {
  const own = only === null ? incidents : incidents.filter(({ hit }) => only.includes(domainOf(hit.document)));
  const isCovered = own.some(({ relevance }) => relevance.probability >= config.POSSIBLE_THRESHOLD);
  return [...(isCovered ? own : incidents)];
}

/**
 * Builds the query for runbooks, past answers and procedures.
 */
export function createRecallQuery(
  { config }: Pick<InvestigationServices, "config">,
  incident: Incident,
  vector: Promise<readonly number[]>,
): RecallQuery {
  const { name, decidedBy } = incident.domain;
  const type = { name: incident.type.name, domain: decidedBy === "none" ? null : name };
  return {
    scope: scopeOf(incident.domain),
    vector,
    keywords: [recallQuery(incident), incident.target ?? "", ...searchLines(incident.evidence)].join("\n"),
    candidates: config.SEARCH_CANDIDATES,
    incidentType: type.name === UNKNOWN_INCIDENT_TYPE ? undefined : type,
  };
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
function hasRelevantFix({ hit, relevance }: RecalledIncident, config: Pick<Config, "POSSIBLE_THRESHOLD">): boolean {
  return relevance.probability >= config.POSSIBLE_THRESHOLD && hit.observation.resolution !== null;
}

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
function groupBySource(result: HybridResult, criteria: RelevanceCriteria, calibration: Calibration): RecalledRunbook[] {
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
        relevance: calibrated(assessRelevance(criteria, assessedDocuments(documents, hits), hits), calibration),
        hits,
        sections: documents.sort((a, b) => (a.chunkIndex ?? 0) - (b.chunkIndex ?? 0)),
      };
    })
    .sort((a, b) => sourceScore(b) - sourceScore(a) || (a.source < b.source ? -1 : 1));
}

/**
 * Returns the chunks that decide the relevance. For a runbook these are all sections, because it covers one failure. For a
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
