// A memory in this process, searched and ranked by the product's own functions. Its stores answer what a recall asks of
// Postgres and Chroma.

import type { Database } from "../../functions/adapters/database.ts";
import { relevanceOfCosineDistance, type VectorHit, type VectorStore } from "../../functions/adapters/vector-store.ts";
import { createIncident } from "../../functions/incidents/create-incident.ts";
import { guardRequest } from "../../functions/incidents/guard-request.ts";
import { observationUpdate } from "../../functions/investigation/learning/create-memory-updates.ts";
import type { SummarisedResult } from "../../functions/investigation/learning/summarise-triage.ts";
import { recall } from "../../functions/investigation/recall/recall.ts";
import type { RecalledIncident } from "../../functions/investigation/recall/recall-result.ts";
import { type Observation, observationDocument } from "../../functions/memory/observation.ts";
import type { RecallState } from "../../functions/memory/recall-state.ts";
import { EMPTY_ANSWER } from "../../functions/schemas/answer.ts";
import type { Incident } from "../../functions/schemas/incident.ts";
import type { KeywordResult } from "../../functions/search-index/hybrid-search.ts";
import {
  documentRow,
  documentText,
  indexMetadata,
  keywordText,
  type SearchDocument,
  storedText,
} from "../../functions/search-index/search-document.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { dot } from "../../lib/embedding/word-vectors.ts";
import type { Issue } from "./issues.ts";
import { createWordIndex } from "./word-index.ts";

export interface Memory {
  /** The probability from which a past incident is shown as possible. */
  readonly possible: number;
  incidentOf(issue: Issue): Incident;
  store(incident: Incident, vector: readonly number[]): void;
  embed(text: string): Promise<readonly number[]>;
  /** The text that the record of an incident is embedded by. */
  textOf(incident: Incident): string;
  /** Best first. */
  recall(incident: Incident): Promise<readonly RecalledIncident[]>;
}

interface Stored {
  readonly document: SearchDocument;
  readonly observation: Observation;
  readonly vector: readonly number[];
}

const UNREACHED = "http://127.0.0.1:9";
const NOTHING = { runbooks: [], incidents: [], past_answers: [], procedure: null, reranking: null };
const UNANSWERED: SummarisedResult = {
  answer: { ...EMPTY_ANSWER, summary: { text: "", citations: [] } },
  outcome: "unknown",
  confidence: 0,
  mode: "extractive",
  sources: [],
  recalled: NOTHING,
};

/** @param limit how many past incidents a recall returns */
export function createMemory(limit: number): Memory {
  const stored = new Map<string, Stored>();
  const index = createWordIndex();
  const environment = {
    DEJAVU_TOKEN: "a-token-nobody-asks-for",
    SUPABASE_URL: UNREACHED,
    SUPABASE_SERVICE_ROLE_KEY: "none",
    CHROMA_URL: UNREACHED,
    MODEL: "none",
  };
  const reached = createServices(environment, { log: () => {}, internals: { INCIDENT_RECALL_LIMIT: limit } });
  const services: Services = {
    ...reached,
    database: databaseOf(stored, index),
    vectors: { ...reached.vectors, ...vectorsOf(stored) },
  };
  const { catalog } = services.domains.current();
  const { POSSIBLE_THRESHOLD: possible } = services.config;
  const observe = (incident: Incident) => {
    const options = { existing: null, now: incident.createdAt, config: services.config };
    const { observation } = observationUpdate(incident, UNANSWERED, options);
    return { observation, document: observationDocument(observation) };
  };
  return {
    possible,
    incidentOf({ createdAt, title, description }) {
      const { request } = guardRequest({ title, logs: description });
      return createIncident(request, { catalog, now: createdAt, newId: services.newId });
    },
    store(incident, vector) {
      const { observation, document } = observe(incident);
      stored.set(document.id, { observation, document, vector });
      index.add(document.id, keywordText(document));
    },
    async embed(text) {
      const [vector = []] = await services.embedder.embed([text]);
      return vector;
    },
    textOf: (incident) => documentText(observe(incident).document),
    recall: async (incident) => (await recall(services, incident, { sessionPastAnswers: [], attached: [] })).incidents,
  };
}

interface KeywordSearch {
  readonly collection: string;
  readonly terms: readonly string[];
  readonly top: number;
}

function databaseOf(stored: ReadonlyMap<string, Stored>, index: ReturnType<typeof createWordIndex>): Database {
  const searchKeywords = ({ collection, terms, top }: KeywordSearch): KeywordResult => {
    const nothing = { terms: {}, hits: [], siblings: [], corrections: {}, pending: [], sources: [] };
    if (collection !== "incidents") return nothing;
    const hits = index.search(terms, top).flatMap(({ id, ...hit }) => {
      const document = stored.get(id)?.document;
      return document ? [{ ...documentRow(document, { isKeywordSearched: false }), ...hit }] : [];
    });
    return { ...nothing, terms: index.statisticsOf(terms), hits };
  };
  const readState = (ids: readonly string[]): RecallState => {
    const records = ids.flatMap((id) => stored.get(id) ?? []);
    return {
      documents: new Map(records.map(({ document }) => [document.id, document])),
      observations: new Map(records.map(({ observation }) => [observation.id, observation])),
      pastAnswers: new Map(),
      procedures: new Map(),
      records: new Map(),
      repeatOf: null,
      isAmbiguous: false,
      separated: [],
      answeredBy: new Map(),
    };
  };
  return {
    async call(name, args) {
      if (name === "search_collections" && "p_searches" in args)
        return (args.p_searches as unknown as KeywordSearch[]).map(searchKeywords) as never;
      if (name === "recall_state" && "p" in args)
        return readState((args.p as unknown as { incidents: string[] }).incidents) as never;
      throw new Error(`A recall does not call ${name}.`);
    },
  };
}

function vectorsOf(stored: ReadonlyMap<string, Stored>): Pick<VectorStore, "initialize" | "search" | "vectors"> {
  const hitOf = ({ document, vector }: Stored, query: readonly number[]): VectorHit => {
    const distance = 1 - dot(Float32Array.from(query), Float32Array.from(vector));
    const relevance = relevanceOfCosineDistance(distance);
    return { id: document.id, text: storedText(document), metadata: indexMetadata(document), distance, relevance };
  };
  return {
    initialize: async (collection) => collection === "incidents",
    search: async (_, { vector, limit }) =>
      [...stored.values()]
        .map((each) => hitOf(each, vector))
        .sort((a, b) => a.distance - b.distance)
        .slice(0, limit),
    vectors: async (_, ids) =>
      new Map(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id)?.vector ?? []]] : []))),
  };
}
