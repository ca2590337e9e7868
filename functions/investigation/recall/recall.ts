// Step "recall": searches runbooks, past incidents, past answers and procedures in parallel; each may fail alone.

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

/** @throws RecallUnavailable when every search of runbooks and past incidents failed */
export async function recall(
  services: InvestigationServices,
  incident: Incident,
  sessionPastAnswers: SessionPastAnswers,
): Promise<Recall> {
  const { config } = services;
  const lines = incident.logs === null ? [] : errorLines(incident.logs);
  const query = recallQueryOf(services, incident, lines);
  const ageing = { now: incident.createdAt, halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS };
  const failure = failureQueryOf(services, incident, lines);
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
        failure,
        incidentId: incident.id,
        fingerprint: fingerprint(incident),
        sessionId: incident.sessionId,
        sessionPastAnswers: sessionPastAnswers[incident.domain.name] ?? [],
        now: incident.createdAt,
        limits: recallLimits(config),
      });
      span.set(() => memoryRecallAttributes(failure.keywords, search));
      if (search.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
      return search;
    }),
  ]);
  if (runbooks.failed && memory.failed) throw new RecallUnavailable(distinct(runbooks.missing));

  // Term statistics of the runbooks score incidents too: a small memory has too few texts to tell common words apart.
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
    missing: distinct([...runbooks.missing, ...(attached.ok ? [] : [attached.error]), ...memory.missing]),
  };
}

/** @param lines error lines of the incident's log */
export function recallQueryOf(
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
 * The query for memory. It leaves out the service's name: the name is rare, so it would return every other incident of
 * that service. It includes the error lines: often they alone distinguish similar failures.
 */
function failureQueryOf(
  services: InvestigationServices,
  incident: Incident,
  lines: readonly string[],
): MemoryQuery["failure"] {
  const reportText = [recallQuery(incident), ...lines].join("\n");
  const failure = withoutName(reportText, incident.target ?? "");
  // A report of the name alone keeps the name.
  const text = tokenize(failure).length > 0 ? failure : reportText;
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

/** Fixed incidents first, then by score; at equal scores, incidents of the same target first. */
function compareIncidents(a: RecalledIncident, b: RecalledIncident, { target }: Incident, config: Config): number {
  const isSameTarget = ({ hit }: RecalledIncident) => Number(target !== null && hit.observation.target === target);
  return (
    Number(isFix(b, config)) - Number(isFix(a, config)) ||
    roundShare(b.hit.score) - roundShare(a.hit.score) ||
    isSameTarget(b) - isSameTarget(a) ||
    b.hit.score - a.hit.score
  );
}

/** A relevant incident with a recorded fix. */
function isFix({ hit, grounding }: RecalledIncident, config: Pick<Config, "GROUNDING_THRESHOLD">): boolean {
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

type Attempt = HybridResult & { readonly failed: boolean };

async function orEmpty(search: Promise<HybridResult>): Promise<Attempt> {
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

/** Runbooks in the order of their best chunks; a chunk's score includes the fit of its whole document. */
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

/** All sections of a runbook, which covers one failure. Only the two best of a log or a note, which may cover many. */
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

function distinct(failures: readonly DependencyError[]): DependencyError[] {
  return [...new Map(failures.map((failure) => [`${failure.dependency} ${failure.failure}`, failure])).values()];
}
