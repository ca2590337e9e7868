// Recalls memory: past incidents, past answers and procedures. The index finds the nearest, Postgres has their current
// state; while Postgres is unavailable, the index's copy is used.

import { type WeightedTerms, weightTerms } from "../../lib/ranking/bm25.ts";
import {
  cosineSimilarity,
  incidentSimilarity,
  type ObservationParts,
  type PastAnswerParts,
  rankObservation,
  rankPastAnswer,
} from "../../lib/ranking/rank-memory.ts";
import { tokenize } from "../../lib/text/tokenize.ts";
import { type RelevanceScale, shareOfScale } from "../adapters/embedder.ts";
import { relevanceOfCosineDistance, type VectorHit } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import type { RecallQuery } from "../knowledge/recall-runbooks.ts";
import type { Collection } from "../search-index/collections.ts";
import { type DenseResult, searchDenseInDomains } from "../search-index/dense-search.ts";
import {
  BothSearchesFailed,
  type HybridHit,
  type HybridQuery,
  type HybridResult,
  hybridSearch,
  type KeywordResult,
  type TermStatistics,
} from "../search-index/hybrid-search.ts";
import { documentFromIndex } from "../search-index/search-document.ts";
import type { IndexStores } from "../search-index/search-services.ts";
import { type Observation, observationFromDocument } from "./observation.ts";
import { UNANSWERED } from "./past-answers.ts";
import { nearestProcedure, type RecalledProcedure } from "./procedures.ts";
import { type PastAnswerState, type RecallState, readRecallState } from "./recall-state.ts";

export interface MemoryQuery extends RecallQuery {
  /** The domain of the incident. */
  readonly domain: string;
  /** The query for past incidents: the failure without its target. */
  readonly failure: Pick<RecallQuery, "vector" | "keywords" | "scope">;
  /** Ids of past incidents that are not recalled, such as the incident itself. */
  readonly excludedIds: readonly string[];
  readonly fingerprint: string | null;
  readonly sessionId: string | null;
  /** Ids of the session's newest past answers. */
  readonly sessionPastAnswers: readonly string[];
  readonly now: Date;
  readonly limits: {
    /** Cosine distance, 0 to 2, beyond which a past incident is dropped. */
    readonly maxDistance: number;
    readonly halfLifeDays: number;
    readonly sessionBoost: number;
    /** Maximum number of past answers. */
    readonly pastAnswers: number;
  };
}

/** A query without what the start of the run reads. */
export type MemorySearchQuery = Omit<MemoryQuery, "sessionPastAnswers">;

/** A query with the scale of the embedder that made its vectors. */
interface ScaledQuery extends MemoryQuery {
  readonly scale: RelevanceScale;
}

export interface RecalledObservation extends HybridHit {
  readonly observation: Observation;
  readonly ranking: ObservationParts;
}

export interface RecalledPastAnswer extends PastAnswerState {
  readonly score: number;
  readonly ranking: PastAnswerParts;
}

export interface RecalledMemory {
  /** Best first. */
  readonly incidents: readonly RecalledObservation[];
  /** Statistics of each query term among past incidents; empty when the keyword search failed. */
  readonly terms: Readonly<Record<string, TermStatistics>>;
  /** Best first. */
  readonly pastAnswers: readonly RecalledPastAnswer[];
  readonly procedure: RecalledProcedure | null;
  /** Ids of the observations that a past answer or a procedure is about, by its id; empty when Postgres is unavailable. */
  readonly records: RecallState["records"];
  /** The observation with the same fingerprint; null for a new failure, or when Postgres is unavailable. */
  readonly repeatOf: Observation | null;
  /** Whether several observations have this fingerprint. */
  readonly isAmbiguous: boolean;
  /** Pairs of the past incidents that a person separated. */
  readonly separated: RecallState["separated"];
  /** Failed dependencies. */
  readonly missing: readonly DependencyError[];
  /** Whether both searches for past incidents failed. */
  readonly failed: boolean;
}

/** Past incidents with a fix that are searched in addition, so that unresolved repeats do not displace them. */
const RESOLVED_CANDIDATES = 6;
const PROCEDURE_CANDIDATES = 5;
/** Word overlap is rounded to twentieths: finer differences depend on the length of a record. */
const WORDS_STEPS = 20;
/** Of the range between unrelated and closely related texts: less similar past answers only distract. */
const MIN_SHARE = 0.25;

/** The search for past incidents, for `searchKeywords` and `searchMemory`. */
export function incidentQuery({ failure, candidates, incidentType }: MemorySearchQuery): HybridQuery {
  return {
    collection: "incidents",
    ...failure,
    candidates,
    incidentType,
    siblingTexts: 0,
    resolvedCandidates: RESOLVED_CANDIDATES,
  };
}

/** The searches of a recall, under way. Only a bug makes one fail. */
export interface MemorySearches {
  readonly incidents: Promise<Candidates>;
  readonly pastAnswers: Promise<DenseResult>;
  readonly procedures: Promise<DenseResult>;
}

/**
 * Starts the searches, which need nothing of the session.
 * @param keywordSearch of past incidents, started by the caller; by default, the search is made here
 */
export function searchMemory(
  stores: IndexStores,
  query: MemorySearchQuery,
  keywordSearch?: Promise<KeywordResult>,
): MemorySearches {
  const { vector, candidates, scope } = query;
  const searchInScope = (collection: Collection, limit: number) =>
    searchDenseInDomains(stores.vectors, collection, vector, { limit, ...scope });
  return {
    incidents: findIncidents(stores, query, keywordSearch),
    pastAnswers: searchInScope("past_answers", candidates),
    procedures: searchInScope("procedures", PROCEDURE_CANDIDATES),
  };
}

/** @param searches started by the caller; by default, they are made here */
export async function recallMemory(
  stores: IndexStores,
  query: MemoryQuery,
  searches: MemorySearches = searchMemory(stores, query),
): Promise<RecalledMemory> {
  const { vector } = query;
  const { scale } = stores.embedder;
  const scaled = { ...query, scale };
  const [incidents, pastAnswers, session, procedures] = await Promise.all([
    searches.incidents,
    searches.pastAnswers,
    settle(distancesOf(stores, vector, "past_answers", query.sessionPastAnswers)),
    searches.procedures,
  ]);
  const hits = incidents.hits.filter(({ document }) => !query.excludedIds.includes(document.id));
  const pastAnswerCandidates = nearestPastAnswers(pastAnswers.hits ?? [], session.ok ? session.value : new Map());
  // Postgres has timed out a moment ago: do not wait for it again.
  const isDatabaseUnavailable = incidents.missing.some(({ dependency }) => dependency === "database");
  const ids = {
    domain: query.domain,
    incidents: hits.map(({ document }) => document.id),
    documents: hits.flatMap(({ document, bm25 }) => (bm25 ? [] : [document.id])),
    pastAnswers: pastAnswerCandidates.map(({ id }) => id),
    procedures: (procedures.hits ?? []).map(({ id }) => id),
    fingerprint: query.fingerprint,
  };
  // If no vectors were compared, fetching them would fail as well.
  const isDenseSearchMissing = hits.every(({ distance }) => distance === undefined);
  const unmeasured = hits.flatMap(({ document, distance }) => (distance === undefined ? [document.id] : []));
  const [state, distances] = await Promise.all([
    settle(isDatabaseUnavailable ? Promise.resolve(null) : readRecallState(stores.database, ids)),
    settle(distancesOf(stores, query.failure.vector, "incidents", isDenseSearchMissing ? [] : unmeasured)),
  ]);
  const failures = [session, state, distances].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  const memoryState = state.ok ? state.value : null;
  return {
    incidents: rankIncidents(hits, memoryState, distances.ok ? distances.value : new Map(), scaled),
    terms: incidents.terms,
    pastAnswers: rankPastAnswers(pastAnswerCandidates, memoryState, scaled),
    // A procedure's state is only in Postgres.
    procedure: memoryState && nearestProcedure(procedures.hits ?? [], memoryState, scale),
    records: memoryState?.records ?? new Map(),
    repeatOf: memoryState?.repeatOf ?? null,
    isAmbiguous: memoryState?.isAmbiguous ?? false,
    separated: memoryState?.separated ?? [],
    missing: [...incidents.missing, ...pastAnswers.missing, ...procedures.missing, ...failures],
    failed: incidents.failed,
  };
}

type Candidates = Pick<HybridResult, "hits" | "terms" | "missing"> & { readonly failed: boolean };

async function findIncidents(
  stores: IndexStores,
  query: MemorySearchQuery,
  keywordSearch: Promise<KeywordResult> | undefined,
): Promise<Candidates> {
  try {
    const result = await hybridSearch(stores, incidentQuery(query), keywordSearch);
    return { ...result, failed: false };
  } catch (error) {
    if (!(error instanceof BothSearchesFailed)) throw error;
    return { hits: [], terms: {}, missing: error.failures, failed: true };
  }
}

/** Cosine distances of the query to records, by their stored vectors. */
async function distancesOf(
  { vectors }: IndexStores,
  vector: Promise<readonly number[]>,
  collection: Collection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const [query, stored] = await Promise.all([vector, vectors.vectors(collection, ids)]);
  return new Map([...stored].map(([id, each]) => [id, 1 - cosineSimilarity(query, each)]));
}

interface PastAnswerCandidate {
  readonly id: string;
  readonly distance: number;
  /** The hit of the search; undefined for a past answer of the session. */
  readonly hit?: VectorHit;
}

/** Adds the session's past answers to the nearest: the session boost may rank them higher. */
function nearestPastAnswers(hits: readonly VectorHit[], session: ReadonlyMap<string, number>): PastAnswerCandidate[] {
  const hitIds = new Set(hits.map(({ id }) => id));
  return [
    ...hits.map((hit) => ({ id: hit.id, distance: hit.distance, hit })),
    ...[...session].filter(([id]) => !hitIds.has(id)).map(([id, distance]) => ({ id, distance })),
  ];
}

function rankIncidents(
  hits: readonly HybridHit[],
  state: RecallState | null,
  distances: ReadonlyMap<string, number>,
  { failure, now, limits, scale }: ScaledQuery,
): RecalledObservation[] {
  const questionTerms = weightTerms(tokenize(failure.keywords));
  const candidates = hits.flatMap((hit) => {
    // A record that is missing in Postgres was deleted; the index lags behind.
    const document = state === null || hit.bm25 ? hit.document : state.documents.get(hit.document.id);
    if (!document) return [];
    const distance = hit.distance ?? distances.get(document.id);
    if (distance !== undefined && distance > limits.maxDistance) return [];
    const observation = state?.observations.get(document.id) ?? observationFromDocument(document);
    const candidate = { ...hit, document, ...(distance === undefined ? {} : { distance }), observation };
    return [{ candidate, words: wordsInCommon(hit, observation.target, questionTerms) }];
  });
  const mostWords = Math.max(0, ...candidates.map(({ words }) => words));
  return candidates
    .map(({ candidate, words }): RecalledObservation => {
      const { distance, observation } = candidate;
      const similarity = incidentSimilarity(
        {
          vectorSimilarity: distance === undefined ? undefined : relevanceOfCosineDistance(distance),
          wordOverlap: mostWords === 0 ? undefined : Math.round((words / mostWords) * WORDS_STEPS) / WORDS_STEPS,
        },
        scale,
      );
      const { score, parts } = rankObservation({ ...observation, similarity }, now, limits.halfLifeDays);
      return { ...candidate, score, ranking: parts };
    })
    .sort((a, b) => b.score - a.score || (a.document.id < b.document.id ? -1 : 1));
}

/**
 * The summed weight of the question's words in a record; repetitions in a log count once. The name of the record's own
 * service is left out: it is rare, would outweigh all other words, and does not describe the failure.
 */
function wordsInCommon({ bm25 }: HybridHit, target: string | null, questionTerms: WeightedTerms): number {
  const service = new Set(tokenize(target ?? ""));
  const otherTerms = Object.entries(bm25?.terms ?? {}).filter(([term]) => !service.has(term));
  return otherTerms.reduce((sum, [term, value]) => sum + value / (questionTerms.get(term) ?? 1), 0);
}

function rankPastAnswers(
  candidates: readonly PastAnswerCandidate[],
  state: RecallState | null,
  { limits, sessionId, now, scale }: ScaledQuery,
): RecalledPastAnswer[] {
  return candidates
    .filter(({ distance }) => shareOfScale(distance, scale) >= MIN_SHARE)
    .flatMap(({ id, distance, hit }): RecalledPastAnswer[] => {
      const memory = state === null ? hit && pastAnswerFromIndex(hit) : state.pastAnswers.get(id);
      if (!memory || memory.answer === UNANSWERED) return [];
      const facts = { ...memory, cosine: 1 - distance, isSameSession: memory.sessionId === sessionId };
      const { score, parts } = rankPastAnswer(facts, { now, ...limits });
      return [{ ...memory, score, ranking: parts }];
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .filter(isFirstOfItsKind())
    .slice(0, limits.pastAnswers);
}

/** Drops repetitions of a question with the same answer. */
function isFirstOfItsKind(): (memory: PastAnswerState) => boolean {
  const pairs = new Set<string>();
  return ({ question, answer }) => {
    const before = pairs.size;
    return pairs.add(JSON.stringify([question.toLowerCase(), answer])).size > before;
  };
}

/** The past answer as the index's copy has it, without a rating. */
function pastAnswerFromIndex(hit: VectorHit): PastAnswerState {
  const { id, title, body, metadata, writtenAt } = documentFromIndex(hit);
  return {
    id,
    question: title,
    answer: body,
    createdAt: writtenAt,
    sessionId: String(metadata.session_id ?? ""),
    rating: 0,
    isSummary: metadata.is_summary === true,
  };
}
