// Recalls memory: past incidents, past answers and procedures. The index finds the nearest, Postgres has their current
// state; while Postgres is unavailable, the index's copy is used.

import { type WeightedTerms, weightTerms } from "../../lib/ranking/bm25.ts";
import {
  type ObservationParts,
  type PastAnswerParts,
  rankObservation,
  rankPastAnswer,
} from "../../lib/ranking/rank-memory.ts";
import { tokenize } from "../../lib/text/tokenize.ts";
import { type RelevanceScale, shareOfScale } from "../adapters/embedder.ts";
import { type IndexedText, relevanceOfCosineDistance, type VectorHit } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import type { RecallQuery } from "../knowledge/recall-runbooks.ts";
import { GENERAL_DOMAIN } from "../schemas/domain.ts";
import type { Collection } from "../search-index/collections.ts";
import { type DenseResult, isInScope, searchDenseInDomains, searchDistances } from "../search-index/dense-search.ts";
import {
  EMPTY_RESULT,
  type HybridHit,
  type KeywordQuery,
  type KeywordResult,
  rankDocuments,
  searchKeywords,
  type TermStatistics,
} from "../search-index/hybrid-search.ts";
import { documentFromIndex, domainOf, type SearchDocument } from "../search-index/search-document.ts";
import type { IndexStores } from "../search-index/search-services.ts";
import { type Observation, observationDocument, observationFromDocument } from "./observation.ts";
import { UNANSWERED } from "./past-answers.ts";
import { nearestProcedure, type RecalledProcedure } from "./procedures.ts";
import { type PastAnswerState, type RecalledIds, type RecallState, readRecallState } from "./recall-state.ts";

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
  /** What people named instead of a runbook or a cause for these past incidents. */
  readonly corrections: RecallState["corrections"];
  /** Pairs of the past incidents that a person separated. */
  readonly separated: RecallState["separated"];
  /** Failed dependencies. */
  readonly missing: readonly DependencyError[];
  /** Whether both searches for past incidents failed. */
  readonly failed: boolean;
}

const PROCEDURE_CANDIDATES = 5;
/** Past answers that are read, the nearest; ratings and the session may change their order. */
const READ_PAST_ANSWERS = 15;
/** The dense search finds more than the keyword search, so that a fix is among them. */
const DENSE_SHARE = 2;
/**
 * Of the range between unrelated and closely related texts: less similar past answers only distract. 0.78 of reports of one failure
 * are nearer, and 0.07 of those of others (`npm run bench -- embedder`).
 */
export const MIN_SHARE = 0.25;

/** The keyword search for past incidents, for `searchKeywords`: Postgres returns their records later. */
export function incidentQuery({ failure, candidates }: MemorySearchQuery): KeywordQuery {
  return { collection: "incidents", ...failure, candidates, siblingTexts: 0 };
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
  const [incidents, pastAnswers, session, procedures] = await Promise.all([
    searches.incidents,
    searches.pastAnswers,
    settle(distancesTo(stores, query.sessionPastAnswers, vector)),
    searches.procedures,
  ]);
  const pastAnswerCandidates = nearestPastAnswers(
    pastAnswers.hits ?? [],
    session.ok ? session.value : new Map(),
    scale,
  );
  // Postgres has timed out a moment ago: do not wait for it again.
  const isDatabaseUnavailable = incidents.missing.some(({ dependency }) => dependency === "database");
  const incidentIds = likeliestFirst(incidents).filter((id) => !query.excludedIds.includes(id));
  const ids = {
    domain: query.domain,
    incidents: incidentIds,
    excludedDomains: query.failure.scope.excluded,
    pastAnswers: pastAnswerCandidates.map(({ id }) => id),
    procedures: (procedures.hits ?? []).map(({ id }) => id),
    fingerprint: query.fingerprint,
  };
  const state = await settle(isDatabaseUnavailable ? Promise.resolve(null) : readRecallState(stores.database, ids));
  const memoryState = state.ok ? state.value : null;
  const copies = await settle(memoryState === null ? readCopies(stores, ids, query) : Promise.resolve(NO_COPIES));
  const stored = recordsOf(memoryState, copies.ok ? copies.value : NO_COPIES);
  const failures = [session, state, copies].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  return {
    incidents: rankIncidents(stored, incidents, query),
    terms: incidents.keyword.terms,
    pastAnswers: rankPastAnswers(
      pastAnswerCandidates,
      memoryState?.pastAnswers ?? (copies.ok ? copies.value.pastAnswers : new Map()),
      query,
    ),
    // A procedure's state is only in Postgres.
    procedure: memoryState && nearestProcedure(procedures.hits ?? [], memoryState, scale),
    records: memoryState?.records ?? new Map(),
    repeatOf: memoryState?.repeatOf ?? null,
    isAmbiguous: memoryState?.isAmbiguous ?? false,
    separated: memoryState?.separated ?? [],
    corrections: memoryState?.corrections ?? [],
    missing: [...incidents.missing, ...pastAnswers.missing, ...procedures.missing, ...failures],
    failed: incidents.failed,
  };
}

/** Past incidents as the two searches found them. */
interface Candidates {
  /** Cosine distances by id, nearest first; undefined when the search failed. */
  readonly distances: ReadonlyMap<string, number> | undefined;
  /** Empty when the search failed. */
  readonly keyword: KeywordResult;
  readonly missing: readonly DependencyError[];
  /** Whether both searches failed. */
  readonly failed: boolean;
}

async function findIncidents(
  stores: IndexStores,
  query: MemorySearchQuery,
  keywordSearch: Promise<KeywordResult> = searchKeywords(stores.database, [incidentQuery(query)]).then(
    ([result]) => result ?? EMPTY_RESULT,
  ),
): Promise<Candidates> {
  const { failure, candidates } = query;
  const [{ distances, missing }, keyword] = await Promise.all([
    searchDistances(stores.vectors, "incidents", failure.vector, candidates * DENSE_SHARE),
    settle(keywordSearch),
  ]);
  return {
    distances,
    keyword: keyword.ok ? keyword.value : EMPTY_RESULT,
    missing: keyword.ok ? missing : [...missing, keyword.error],
    failed: distances === undefined && !keyword.ok,
  };
}

/** The ids in the order of their better place in the two searches. */
function likeliestFirst({ distances = new Map(), keyword }: Candidates): string[] {
  const places = new Map<string, number>();
  for (const ids of [[...distances.keys()], keyword.hits.map(({ id }) => id)])
    for (const [place, id] of ids.entries()) places.set(id, Math.min(place, places.get(id) ?? place));
  return [...places].sort(([, a], [, b]) => a - b).map(([id]) => id);
}

/** What the index has of records while Postgres is unavailable. */
interface Copies {
  readonly documents: readonly SearchDocument[];
  readonly pastAnswers: ReadonlyMap<string, PastAnswerState>;
}

const NO_COPIES: Copies = { documents: [], pastAnswers: new Map() };

async function readCopies(
  { vectors }: IndexStores,
  { incidents, pastAnswers }: Pick<RecalledIds, "incidents" | "pastAnswers">,
  { failure, candidates }: MemoryQuery,
): Promise<Copies> {
  const find = async (collection: Collection, ids: readonly string[]) => {
    const wanted = ids.slice(0, candidates);
    return wanted.length === 0 ? [] : vectors.find(collection, { ids: wanted, limit: wanted.length });
  };
  const [incidentTexts, answerTexts] = await Promise.all([
    find("incidents", incidents),
    find("past_answers", pastAnswers),
  ]);
  return {
    documents: incidentTexts.map(documentFromIndex).filter((document) => isInScope(failure.scope, domainOf(document))),
    pastAnswers: new Map(answerTexts.filter(isOfOneDomain).map((text) => [text.id, pastAnswerFromIndex(text)])),
  };
}

/** A summary in `general` may be of domains that the caller does not see. Only Postgres knows them. */
function isOfOneDomain(text: IndexedText): boolean {
  return text.metadata.is_summary !== true || domainOf(text) !== GENERAL_DOMAIN;
}

interface FoundRecord {
  readonly document: SearchDocument;
  readonly observation: Observation;
}

/** A record that is missing in Postgres was deleted; the index lags behind. */
function recordsOf(state: RecallState | null, { documents }: Copies): ReadonlyMap<string, FoundRecord> {
  const records =
    state === null
      ? documents.map((document) => ({ document, observation: observationFromDocument(document) }))
      : [...state.observations.values()].map((observation) => ({
          document: observationDocument(observation),
          observation,
        }));
  return new Map(records.map((record) => [record.document.id, record]));
}

/** Cosine distances of the query to past answers. */
async function distancesTo(
  { vectors }: IndexStores,
  ids: readonly string[],
  vector: Promise<readonly number[]>,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  return vectors.distances("past_answers", { vector: await vector, ids, limit: ids.length });
}

interface PastAnswerCandidate {
  readonly id: string;
  readonly distance: number;
}

/** Adds the session's past answers to the nearest: the session boost may rank them higher. */
function nearestPastAnswers(
  hits: readonly VectorHit[],
  session: ReadonlyMap<string, number>,
  scale: RelevanceScale,
): PastAnswerCandidate[] {
  const nearest = hits.slice(0, READ_PAST_ANSWERS);
  const hitIds = new Set(nearest.map(({ id }) => id));
  return [
    ...nearest.map(({ id, distance }) => ({ id, distance })),
    ...[...session].filter(([id]) => !hitIds.has(id)).map(([id, distance]) => ({ id, distance })),
  ].filter(({ distance }) => shareOfScale(distance, scale) >= MIN_SHARE);
}

/**
 * The distance of each record. What only the keyword search found is at least as far away as the last of the vector search: for the
 * exact distance, Chroma would go through the whole collection. Unless the vector search returned all that it has.
 */
function distancesOfRecords(
  ids: Iterable<string>,
  distances: ReadonlyMap<string, number> = new Map(),
  limit: number,
): ReadonlyMap<string, number> {
  const farthest = distances.size < limit ? undefined : Math.max(...distances.values());
  return new Map(
    [...ids].flatMap((id) => {
      const distance = distances.get(id) ?? farthest;
      return distance === undefined ? [] : [[id, distance] as const];
    }),
  );
}

function rankIncidents(
  records: ReadonlyMap<string, FoundRecord>,
  { keyword, distances: measured }: Candidates,
  { failure, candidates: limit, incidentType, now, limits }: MemoryQuery,
): RecalledObservation[] {
  const distances = distancesOfRecords(records.keys(), measured, limit * DENSE_SHARE);
  const questionTerms = weightTerms(tokenize(failure.keywords));
  const documents = new Map([...records].map(([id, { document }]) => [id, document]));
  const keywordHits = keyword.hits.filter(({ id }) => documents.has(id));
  const hits = rankDocuments({ documents, distances, keywordHits }, keyword, { ...failure, incidentType });
  const candidates = hits.flatMap((hit) => {
    const record = records.get(hit.document.id);
    if (!record) return [];
    if (hit.distance !== undefined && hit.distance > limits.maxDistance) return [];
    const { observation } = record;
    return [{ candidate: { ...hit, observation }, words: wordsInCommon(hit, observation.target, questionTerms) }];
  });
  const mostWords = Math.max(0, ...candidates.map(({ words }) => words));
  return candidates
    .map(({ candidate, words }): RecalledObservation => {
      const { distance, observation } = candidate;
      // Vectors of similar failures are near each other whatever the cause: they rank only where no word is in common.
      const nearness = distance === undefined ? 0 : relevanceOfCosineDistance(distance);
      const similarity = mostWords === 0 ? nearness : words / mostWords;
      const { score, parts } = rankObservation({ ...observation, similarity }, now, limits.halfLifeDays);
      return { ...candidate, score, ranking: parts };
    })
    .sort(
      // An id is random: the vectors order records that have the same words in common.
      (a, b) => b.score - a.score || (a.distance ?? 0) - (b.distance ?? 0) || (a.document.id < b.document.id ? -1 : 1),
    );
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
  memories: ReadonlyMap<string, PastAnswerState>,
  { limits, sessionId, now }: MemoryQuery,
): RecalledPastAnswer[] {
  return candidates
    .flatMap(({ id, distance }): RecalledPastAnswer[] => {
      const memory = memories.get(id);
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
function pastAnswerFromIndex(stored: IndexedText): PastAnswerState {
  const { id, title, body, metadata, writtenAt } = documentFromIndex(stored);
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
