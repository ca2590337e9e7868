// Fake stores with planted records: hits of the index and rows of Postgres. Either may be unavailable.

import { z } from "zod";
import { createParsingDatabase } from "../../../functions/adapters/database.ts";
import { USUAL_SCALE } from "../../../functions/adapters/embedder.ts";
import { relevanceOfCosineDistance, type VectorHit } from "../../../functions/adapters/vector-store.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { fixEntry } from "../../../functions/memory/fixes.ts";
import { type Observation, observationDocument, observationRow } from "../../../functions/memory/observation.ts";
import type { PastAnswerState, ProcedureState } from "../../../functions/memory/recall-state.ts";
import { documentText, indexMetadata } from "../../../functions/search-index/search-document.ts";
import type { IndexStores } from "../../../functions/search-index/search-services.ts";
import { K1 } from "../../../lib/ranking/bm25.ts";

export interface PlantedIncident {
  /** As Postgres knows it; null where it was forgotten. */
  readonly known: Observation | null;
  /** As the index copied it once. */
  readonly indexed: Observation;
  /** To the query; undefined where the dense search does not find it. */
  readonly cosine?: number;
  /** Undefined where the keyword search does not find it. */
  readonly bm25?: number;
  /** What each term of the query added to it; a single one did where nothing is said. */
  readonly terms?: Readonly<Record<string, number>>;
}

export interface Planted {
  readonly incidents?: readonly PlantedIncident[];
  readonly pastAnswers?: readonly (PastAnswerState & { readonly cosine: number; readonly isForgotten?: boolean })[];
  readonly procedures?: readonly (ProcedureState & { readonly cosine: number })[];
  /** Ids of the observations of past answers and procedures, by their id. */
  readonly records?: Readonly<Record<string, readonly string[]>>;
  readonly repeatOf?: Observation;
  /** Function names of Postgres that fail. */
  readonly failing?: readonly string[];
  readonly isChromaAway?: boolean;
}

export const QUERY_VECTOR = [1, 0];

export function plantedStores(planted: Planted): IndexStores & { readonly called: readonly string[] } {
  const { incidents = [], pastAnswers = [], procedures = [], failing = [], isChromaAway = false } = planted;
  const called: string[] = [];
  const hitsByLayer: Readonly<Record<string, readonly VectorHit[]>> = {
    incidents: incidents.flatMap(({ indexed, cosine }) =>
      cosine === undefined ? [] : [hitOf(observationDocument(indexed), cosine)],
    ),
    past_answers: pastAnswers.map((memory) => hitOf(pastAnswerDocument(memory), memory.cosine)),
    procedures: procedures.map((each) => ({ id: each.id, text: each.query, metadata: {}, ...nearness(each.cosine) })),
  };
  const storedAnswers = pastAnswers.map(({ id, cosine }) => ({ id, distance: 1 - cosine }));
  const answering = async () => {
    if (isChromaAway) throw new DependencyError("vector_store", "unreachable", "away");
  };
  const unused = async (): Promise<never> => {
    throw new Error("Recall does not write.");
  };
  return {
    called,
    database: createParsingDatabase(async (name, args) => {
      called.push(name);
      if (failing.includes(name)) throw new DependencyError("database", "unreachable", "away");
      if (name === "recall_state") return stateReply(planted, stateSchema.parse(args).p.incidents);
      const { p_searches } = z.object({ p_searches: z.array(z.object({ collection: z.string() })) }).parse(args);
      return p_searches.map(({ collection }) => ({
        ...keywordReply(collection === "incidents" ? incidents.flatMap(keywordHit) : []),
        siblings: [],
        corrections: {},
        sources: [],
      }));
    }),
    vectors: {
      fingerprint: "planted",
      initialize: async () => {
        await answering();
        return true;
      },
      search: async (collection, { filter, limit }) => {
        await answering();
        const hits = hitsByLayer[collection] ?? [];
        const wanted = hits.filter(
          ({ metadata }) => filter?.op !== "equals" || metadata[filter.field] === filter.value,
        );
        return wanted.toSorted((a, b) => a.distance - b.distance).slice(0, limit);
      },
      distances: async (collection, { ids, limit }) => {
        await answering();
        const hits = ids === undefined ? (hitsByLayer[collection] ?? []) : storedAnswers;
        const wanted = hits.filter(({ id }) => ids?.includes(id) ?? true);
        const sorted = wanted.toSorted((a, b) => a.distance - b.distance).slice(0, limit);
        return new Map(sorted.map(({ id, distance }) => [id, distance]));
      },
      find: async (collection, { ids = [] }) => {
        await answering();
        return (hitsByLayer[collection] ?? []).filter(({ id }) => ids.includes(id));
      },
      vectors: unused,
      ids: unused,
      store: unused,
      delete: unused,
      collections: unused,
      drop: unused,
      version: unused,
    },
    embedder: {
      model: "planted",
      dimensions: 2,
      scale: USUAL_SCALE,
      embed: async (texts) => texts.map(() => QUERY_VECTOR),
    },
  };
}

function nearness(cosine: number) {
  return { distance: 1 - cosine, relevance: relevanceOfCosineDistance(1 - cosine) };
}

function hitOf(document: Parameters<typeof documentText>[0], cosine: number): VectorHit {
  return { id: document.id, text: documentText(document), metadata: indexMetadata(document), ...nearness(cosine) };
}

function pastAnswerDocument({ id, question, answer, sessionId, isSummary, createdAt }: PastAnswerState) {
  const metadata = { session_id: sessionId, is_summary: isSummary };
  return {
    id,
    source: null,
    chunkIndex: null,
    title: question,
    headingPath: [],
    body: answer,
    metadata,
    writtenAt: createdAt,
  };
}

function keywordHit({ known: observation, bm25, terms }: PlantedIncident) {
  if (observation === null || bm25 === undefined) return [];
  return [{ id: observation.id, score: bm25, contributions: terms ?? { killed: bm25 } }];
}

/** More than any planted contribution: a contribution grows with the frequency up to K1 + 1 times the gain of its term. */
const GAIN = 100;

/** Terms, and hits with the frequencies that give these contributions in texts of average length. */
function keywordReply(hits: readonly ReturnType<typeof keywordHit>[number][]) {
  const terms = [...new Set(hits.flatMap(({ contributions }) => Object.keys(contributions)))];
  const documents = 1;
  return {
    terms,
    dfs: terms.map(() => documents),
    weights: terms.map(() => GAIN / Math.log(1 + 0.5 / (documents + 0.5))),
    ...{ documents, average_length: 1 },
    hits: hits.map(({ id, score, contributions }) => {
      const text = terms.flatMap((term, place) => {
        const value = contributions[term];
        return value === undefined ? [] : [`${place}:${(K1 * value) / ((K1 + 1) * GAIN - value)}`];
      });
      return [id, score, 1, text.join(" ")];
    }),
  };
}

/** Rows of the same keys as the SQL function `unless_cached` returns them. */
function uncached(rows: readonly object[]) {
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => ["", ...Object.values(row)]) };
}

const stateSchema = z.object({ p: z.object({ incidents: z.array(z.string()) }) });

function stateReply(
  { incidents = [], pastAnswers = [], procedures = [], records = {}, repeatOf }: Planted,
  ids: readonly string[],
) {
  const observations = incidents.flatMap((each) => (each.known && ids.includes(each.known.id) ? each.known : []));
  const isListed = observations.some(({ id }) => id === repeatOf?.id);
  return {
    observations: uncached([...observations, ...(repeatOf && !isListed ? [repeatOf] : [])].map(recalledRow)),
    past_answers: uncached(
      pastAnswers
        .filter(({ isForgotten }) => isForgotten !== true)
        .map(({ id, question, answer, createdAt, sessionId, rating, isSummary }) => ({
          ...{ id, question, answer, net_rating: rating },
          created_at: createdAt.toISOString(),
          session_id: sessionId,
          is_summary: isSummary,
        })),
    ),
    procedures: uncached(
      procedures.map(({ id, query, strategy, answer, confidence, useCount, lastUsedAt }) => ({
        ...{ id, query, strategy, answer, confidence },
        use_count: useCount,
        last_used_at: lastUsedAt.toISOString(),
      })),
    ),
    records,
    repeat_of: repeatOf?.id ?? null,
    is_ambiguous: false,
    separated: [],
    corrections: [],
    answered_by: {},
  };
}

/** As the SQL function `recalled_observation_json` returns it. */
function recalledRow(observation: Observation) {
  const { version, basis, alert, kind, codes, templates, words, mechanisms } = observation.signature;
  const [texts, weights] = [templates.map(({ text }) => text), templates.map(({ weight }) => weight)];
  const signature = [version, basis, alert, kind, codes, texts, weights, words.join(" "), mechanisms];
  const fixes = observation.fixes.map((fix) => {
    const entries = Object.entries(fixEntry(fix));
    return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  });
  return { ...storedRow(observation), signature, fixes };
}

function storedRow(observation: Observation) {
  const { id, fingerprint, signature, version, reviewScore, occurrences, resolution } = observation;
  const report = {
    incidentId: id,
    task: observation.title,
    fingerprint,
    signature,
    target: observation.target,
    reportedAt: observation.firstSeenAt,
  };
  return {
    ...observationRow(observation, report),
    ...{ id, version, effective_review_score: reviewScore, occurrences },
    first_seen_at: observation.firstSeenAt.toISOString(),
    resolution: resolution?.text ?? null,
    resolved_by: resolution?.by ?? null,
    resolved_at: resolution?.at.toISOString() ?? null,
    targets: observation.targets,
    seen_at: observation.seenAt.map((at) => at.toISOString()),
    fixes: observation.fixes.map(fixEntry),
  };
}
