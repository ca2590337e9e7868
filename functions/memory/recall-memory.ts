// Owns the recall of what Dejavu learnt itself: past incidents, earlier answers, proven approaches. The index says what
// is near, Postgres what it is by now; with Postgres away the index's own copy has to do.

import { relevanceOfCosineDistance, type VectorHit } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import type { RecallQuery } from "../knowledge/recall-runbooks.ts";
import { type WeightedTerms, weightTerms } from "../retrieval/ranking/bm25.ts";
import {
  cosineSimilarity,
  incidentSimilarity,
  type ObservationParts,
  type PastAnswerParts,
  rankObservation,
  rankPastAnswer,
} from "../retrieval/ranking/rank-memory.ts";
import { tokenize } from "../retrieval/text/tokenize.ts";
import { collectionOf } from "../search-index/collections.ts";
import { searchDense } from "../search-index/dense-search.ts";
import {
  BothSearchesFailed,
  type HybridHit,
  type HybridResult,
  hybridSearch,
  type TermStatistics,
} from "../search-index/hybrid-search.ts";
import { documentFromIndex } from "../search-index/search-document.ts";
import type { IndexStores } from "../search-index/services.ts";
import { type Observation, observationFromDocument } from "./observation.ts";
import { UNANSWERED } from "./past-answers.ts";
import { nearestProcedure, type RecalledProcedure } from "./procedures.ts";
import { type PastAnswerState, type RecallState, readRecallState } from "./recall-state.ts";

export interface MemoryQuery extends RecallQuery {
  /** What past incidents are searched with: what went wrong, and not to whom. */
  readonly failure: Pick<RecallQuery, "vector" | "keywords">;
  /** The incident that asks; it is no memory of itself. */
  readonly incidentId: string | null;
  readonly fingerprint: string | null;
  readonly sessionId: string | null;
  /** Ids of the session's newest memories. */
  readonly sessionPastAnswers: readonly string[];
  readonly now: Date;
  readonly limits: {
    /** Cosine distance, 0 to 2, beyond which a past incident is dropped. */
    readonly maxDistance: number;
    readonly halfLifeDays: number;
    readonly sessionBoost: number;
    /** Earlier answers that are wanted. */
    readonly memories: number;
    /** `1 − cosine distance / 2` of texts that have nothing, and much, to do with each other. */
    readonly unrelated: number;
    readonly close: number;
  };
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
  /** How much each query term says among past incidents; empty when the keyword search was missing. */
  readonly terms: Readonly<Record<string, TermStatistics>>;
  /** Best first. */
  readonly memories: readonly RecalledPastAnswer[];
  readonly procedure: RecalledProcedure | null;
  /** What is known of this very failure; null where it is new, or nobody could say. */
  readonly repeatOf: Observation | null;
  /** What could not be asked. */
  readonly missing: readonly DependencyError[];
  /** Whether past incidents could be searched in neither way. */
  readonly failed: boolean;
}

/** Past incidents with a fix that are looked for besides: repeats nobody resolved must not crowd out the one somebody did. */
const RESOLVED_CANDIDATES = 6;
const PROCEDURE_CANDIDATES = 5;
/** Words in common are told apart in twentieths: less is a matter of how long a record is. */
const WORDS_STEPS = 20;

export async function recallMemory(stores: IndexStores, query: MemoryQuery): Promise<RecalledMemory> {
  const { domain, vector, candidates } = query;
  const [incidents, memories, session, procedures] = await Promise.all([
    findIncidents(stores, query),
    searchDense(stores.vectors, collectionOf("past_answers", domain), vector, [{ limit: candidates }]),
    settle(distancesOf(stores, vector, collectionOf("past_answers", domain), query.sessionPastAnswers)),
    searchDense(stores.vectors, collectionOf("procedures", domain), vector, [{ limit: PROCEDURE_CANDIDATES }]),
  ]);
  const hits = incidents.hits.filter(({ document }) => document.id !== query.incidentId);
  const nearby = nearestPastAnswers(memories.hits ?? [], session.ok ? session.value : new Map());
  // Who waited for Postgres in vain a moment ago does not wait for it again.
  const isAway = incidents.missing.some(({ dependency }) => dependency === "database");
  const ids = {
    domain,
    incidents: hits.map(({ document }) => document.id),
    documents: hits.flatMap(({ document, bm25 }) => (bm25 ? [] : [document.id])),
    memories: nearby.map(({ id }) => id),
    procedures: (procedures.hits ?? []).map(({ id }) => id),
    fingerprint: query.fingerprint,
  };
  // Where no vectors could be compared, fetching them would fail as well.
  const isBlind = hits.every(({ distance }) => distance === undefined);
  const unmeasured = hits.flatMap(({ document, distance }) => (distance === undefined ? [document.id] : []));
  const [state, distances] = await Promise.all([
    settle(isAway ? Promise.resolve(null) : readRecallState(stores.database, ids)),
    settle(distancesOf(stores, query.failure.vector, collectionOf("incidents", domain), isBlind ? [] : unmeasured)),
  ]);
  const failures = [session, state, distances].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  const known = state.ok ? state.value : null;
  return {
    incidents: rankIncidents(hits, known, distances.ok ? distances.value : new Map(), query),
    terms: incidents.terms,
    memories: rankPastAnswers(nearby, known, query),
    // Without Postgres nobody knows how an approach did since.
    procedure: known && nearestProcedure(procedures.hits ?? [], known),
    repeatOf: known?.repeatOf ?? null,
    missing: [...incidents.missing, ...memories.missing, ...procedures.missing, ...failures],
    failed: incidents.failed,
  };
}

type Candidates = Pick<HybridResult, "hits" | "terms" | "missing"> & { readonly failed: boolean };

async function findIncidents(stores: IndexStores, query: MemoryQuery): Promise<Candidates> {
  try {
    const found = await hybridSearch(stores, {
      collection: collectionOf("incidents", query.domain),
      ...query.failure,
      candidates: query.candidates,
      incidentType: query.incidentType,
      siblingSources: 0,
      resolvedCandidates: RESOLVED_CANDIDATES,
    });
    return { ...found, failed: false };
  } catch (error) {
    if (!(error instanceof BothSearchesFailed)) throw error;
    return { hits: [], terms: {}, missing: error.failures, failed: true };
  }
}

/** The cosine distances of the query to records that it has to be held against, by their stored vectors. */
async function distancesOf(
  { vectors }: IndexStores,
  vector: Promise<readonly number[]>,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const [query, stored] = await Promise.all([vector, vectors.vectors(collection, ids)]);
  return new Map([...stored].map(([id, each]) => [id, 1 - cosineSimilarity(query, each)]));
}

interface NearbyPastAnswer {
  readonly id: string;
  readonly distance: number;
  /** Where the search found it. */
  readonly hit?: VectorHit;
}

/** The session's own memories beside the nearest: the boost may lift them over nearer ones. */
function nearestPastAnswers(hits: readonly VectorHit[], session: ReadonlyMap<string, number>): NearbyPastAnswer[] {
  const found = new Set(hits.map(({ id }) => id));
  return [
    ...hits.map((hit) => ({ id: hit.id, distance: hit.distance, hit })),
    ...[...session].filter(([id]) => !found.has(id)).map(([id, distance]) => ({ id, distance })),
  ];
}

function rankIncidents(
  hits: readonly HybridHit[],
  state: RecallState | null,
  distances: ReadonlyMap<string, number>,
  { domain, failure, now, limits }: MemoryQuery,
): RecalledObservation[] {
  const asked = weightTerms(tokenize(failure.keywords));
  const candidates = hits.flatMap((hit) => {
    // What Postgres does not have any more was forgotten, and only the index does not know it yet.
    const document = state === null || hit.bm25 ? hit.document : state.documents.get(hit.document.id);
    if (!document) return [];
    const distance = hit.distance ?? distances.get(document.id);
    if (distance !== undefined && distance > limits.maxDistance) return [];
    const observation = state?.observations.get(document.id) ?? observationFromDocument(document, domain);
    const known = { ...hit, document, ...(distance === undefined ? {} : { distance }), observation };
    return [{ known, words: wordsInCommon(hit, observation.target, asked) }];
  });
  const mostWords = Math.max(0, ...candidates.map(({ words }) => words));
  return candidates
    .map(({ known, words }): RecalledObservation => {
      const { distance, observation } = known;
      const similarity = incidentSimilarity(
        {
          vectorSimilarity: distance === undefined ? undefined : relevanceOfCosineDistance(distance),
          wordOverlap: mostWords === 0 ? undefined : Math.round((words / mostWords) * WORDS_STEPS) / WORDS_STEPS,
        },
        limits,
      );
      const { score, parts } = rankObservation({ ...observation, similarity }, now, limits.halfLifeDays);
      return { ...known, score, ranking: parts };
    })
    .sort((a, b) => b.score - a.score || (a.document.id < b.document.id ? -1 : 1));
}

/**
 * What the words of the question add up to in a record, each counted once however often a log repeats it. The name of the
 * record's own service is left out: it is rare, so it would outweigh all else, and says nothing of what failed.
 */
function wordsInCommon({ bm25 }: HybridHit, target: string | null, asked: WeightedTerms): number {
  const service = new Set(tokenize(target ?? ""));
  const telling = Object.entries(bm25?.terms ?? {}).filter(([term]) => !service.has(term));
  return telling.reduce((sum, [term, value]) => sum + value / (asked.get(term) ?? 1), 0);
}

function rankPastAnswers(
  nearby: readonly NearbyPastAnswer[],
  state: RecallState | null,
  query: MemoryQuery,
): RecalledPastAnswer[] {
  const { limits, sessionId, now } = query;
  // Half way between what has nothing and what has much in common: what is less alike only distracts.
  const floor = (limits.unrelated + limits.close) / 2;
  return nearby
    .filter(({ distance }) => relevanceOfCosineDistance(distance) >= floor)
    .flatMap(({ id, distance, hit }): RecalledPastAnswer[] => {
      const memory = state === null ? hit && pastAnswerFromIndex(hit) : state.memories.get(id);
      if (!memory || memory.answer === UNANSWERED) return [];
      const facts = { ...memory, cosine: 1 - distance, isSameSession: memory.sessionId === sessionId };
      const { score, parts } = rankPastAnswer(facts, { now, ...limits });
      return [{ ...memory, score, ranking: parts }];
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .filter(isFirstOfItsKind())
    .slice(0, limits.memories);
}

/** Whoever asks the same and is told the same again and again is heard once. */
function isFirstOfItsKind(): (memory: PastAnswerState) => boolean {
  const seen = new Set<string>();
  return ({ question, answer }) => {
    const before = seen.size;
    return seen.add(JSON.stringify([question.toLowerCase(), answer])).size > before;
  };
}

/** A memory as far as the index's copy tells: nobody's rating. */
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
