// A memory in this process, searched and ranked by the product's own functions. Its stores answer what a recall asks of
// Postgres and Chroma. An incident is stored as if nothing had answered it, with its fix.

import { z } from "zod";
import { readRunbookFolder } from "../../cli/seed-runbooks.ts";
import { createParsingDatabase, type Database } from "../../functions/adapters/database.ts";
import type { VectorStore } from "../../functions/adapters/vector-store.ts";
import { createIncident, type TriageRequest } from "../../functions/incidents/create-incident.ts";
import { createGuard } from "../../functions/incidents/guard-request.ts";
import { observationUpdate } from "../../functions/investigation/learning/create-memory-updates.ts";
import type { SummarisedResult } from "../../functions/investigation/learning/summarise-triage.ts";
import { recall } from "../../functions/investigation/recall/recall.ts";
import type { Recall } from "../../functions/investigation/recall/recall-result.ts";
import { createDomainCatalog } from "../../functions/knowledge/domains/domain-catalog.ts";
import type { DomainFolder } from "../../functions/knowledge/load-folder.ts";
import { textDocuments } from "../../functions/knowledge/text-documents.ts";
import { observationDocument, observationRow } from "../../functions/memory/observation.ts";
import { EMPTY_ANSWER } from "../../functions/schemas/answer.ts";
import type { FailureSignature } from "../../functions/schemas/failure-signature.ts";
import type { Incident } from "../../functions/schemas/incident.ts";
import { documentText, keywordText, type SearchDocument } from "../../functions/search-index/search-document.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { dot } from "../../lib/embedding/word-vectors.ts";
import { redact } from "../../lib/redaction/redact.ts";
import { countsOf } from "../../lib/text/tokenize.ts";
import { createWordIndex, type WordIndex } from "./word-index.ts";

const guard = createGuard(redact);

export interface ProcessMemory {
  /** Asks this memory, and knows the shipped runbooks by their words alone. */
  readonly services: Services;
  incidentOf(report: TriageRequest, createdAt: Date): Incident;
  /** @param fix null for an open incident. @returns the id of the record */
  store(incident: Incident, fix: string | null): Promise<string>;
  recall(incident: Incident): Promise<Recall>;
}

interface Stored {
  readonly document: SearchDocument;
  /** The record as the database returns it. */
  readonly row: { readonly resolution: string | null; readonly signature: FailureSignature };
  readonly vector: Float32Array;
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

/** @param limit how many past incidents a recall returns; the product's own limit by default */
export async function createProcessMemory(limit?: number): Promise<ProcessMemory> {
  const stored = new Map<string, Stored>();
  const index = createWordIndex();
  const environment = {
    DEJAVU_TOKEN: "a-token-nobody-asks-for",
    SUPABASE_URL: UNREACHED,
    SUPABASE_SERVICE_ROLE_KEY: "none",
    CHROMA_URL: UNREACHED,
    MODEL: "none",
  };
  const internals = limit === undefined ? {} : { INCIDENT_RECALL_LIMIT: limit };
  const reached = createServices(environment, { log: () => {}, internals });
  const { now } = reached;
  const { domains } = await readRunbookFolder();
  const services: Services = {
    ...reached,
    database: databaseOf(stored, { incidents: index, runbooks: indexOfRunbooks(domains, reached) }),
    vectors: { ...reached.vectors, ...vectorsOf(stored) },
  };
  const catalog = createDomainCatalog(
    domains.flatMap(({ name, definition }) => (definition === null ? [] : [{ name, definition }])),
  );
  return {
    services,
    incidentOf(report, createdAt) {
      const { request } = guard.request(report);
      return createIncident(request, { catalog, now: createdAt, newId: services.newId });
    },
    async store(incident, fix) {
      const options = { existing: null, config: services.config };
      const { observation: open, report } = observationUpdate(incident, UNANSWERED, options);
      const at = now();
      const document = observationDocument({
        ...open,
        resolution: fix === null ? null : { text: fix, by: "on-call", at },
      });
      const [vector = []] = await services.embedder.embed([documentText(document)]);
      const seenAt = incident.createdAt.toISOString();
      const row = {
        ...observationRow(open, report),
        ...{ id: open.id, version: open.version, targets: open.targets, occurrences: open.occurrences },
        ...{ seen_at: [seenAt], effective_review_score: null, fixes: [] },
        ...{ resolution: fix, resolved_by: fix && "on-call", resolved_at: fix && at.toISOString() },
      };
      stored.set(document.id, { row, document, vector: Float32Array.from(vector) });
      index.add(document.id, keywordText(document));
      return document.id;
    },
    recall: (incident) => recall(services, incident, { sessionPastAnswers: [], attached: [] }),
  };
}

/** Of the shipped runbooks only the statistics of their words count. */
function indexOfRunbooks(domains: readonly DomainFolder[], { config, now }: Services): WordIndex {
  const index = createWordIndex();
  const chunking = { size: config.CHUNK_SIZE, overlap: config.CHUNK_OVERLAP };
  for (const { name: domain, runbooks } of domains)
    for (const { source, markdown } of runbooks) {
      const text = { source, domain, kind: "runbook", text: markdown, tags: [] } as const;
      for (const document of textDocuments(text, { redact, chunking, now: now() }).documents)
        index.add(document.id, keywordText(document));
    }
  return index;
}

const searchesSchema = z.object({
  p_searches: z.array(z.object({ collection: z.string(), terms: z.array(z.string()), top: z.number() })),
});
/** Rows of the same keys as the SQL function `unless_cached` returns them. */
function uncached(rows: readonly Record<string, unknown>[]) {
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => ["", ...columns.map((column) => row[column])]) };
}

/** As the SQL function `recalled_observation_json` returns it. */
function withoutKeys({ version, basis, alert, kind, codes, templates, words, mechanisms }: FailureSignature) {
  const [texts, weights] = [templates.map(({ text }) => text), templates.map(({ weight }) => weight)];
  return [version, basis, alert, kind, codes, texts, weights, words.join(" "), mechanisms];
}

const stateSchema = z.object({
  p: z.object({ incidents: z.array(z.string()), incident_limit: z.number(), resolved_limit: z.number() }),
});

function databaseOf(
  stored: ReadonlyMap<string, Stored>,
  { incidents, runbooks }: Readonly<Record<"incidents" | "runbooks", WordIndex>>,
): Database {
  const searchKeywords = ({ collection, terms, top }: z.infer<typeof searchesSchema>["p_searches"][number]) => {
    const [index, limit] = collection === "incidents" ? [incidents, top] : [runbooks, 0];
    const counts = [...countsOf(terms)];
    return {
      terms: counts.map(([term]) => term),
      dfs: counts.map(([term]) => index.dfOf(term)),
      weights: counts.map(([, count]) => 1 + Math.log(count)),
      ...index.totals(),
      hits: (limit === 0 ? [] : index.search(terms, limit)).map(({ id, score, length, frequencies }) => {
        const text = counts.flatMap(([term], place) => (term in frequencies ? [`${place}:${frequencies[term]}`] : []));
        return [id, score, length, text.join(" ")];
      }),
      ...{ siblings: [], corrections: {}, sources: [] },
    };
  };
  const readState = ({ incidents: ids, incident_limit, resolved_limit }: z.infer<typeof stateSchema>["p"]) => {
    const likeliest = ids.flatMap((id) => stored.get(id) ?? []);
    const resolved = likeliest.filter(({ row }) => row.resolution !== null);
    const records = new Set([...likeliest.slice(0, incident_limit), ...resolved.slice(0, resolved_limit)]);
    return {
      observations: uncached([...records].map(({ row }) => ({ ...row, signature: withoutKeys(row.signature) }))),
      ...{ past_answers: uncached([]), procedures: uncached([]), records: {} },
      ...{ repeat_of: null, is_ambiguous: false, separated: [], corrections: [] },
    };
  };
  return createParsingDatabase(async (name, args) => {
    if (name === "search_collections") return searchesSchema.parse(args).p_searches.map(searchKeywords);
    if (name === "recall_state") return readState(stateSchema.parse(args).p);
    throw new Error(`A recall does not call ${name}.`);
  });
}

function vectorsOf(stored: ReadonlyMap<string, Stored>): Pick<VectorStore, "initialize" | "search" | "distances"> {
  return {
    initialize: async (collection) => collection === "incidents",
    search: async () => [],
    distances: async (_, { vector, limit, ids }) => {
      const query = Float32Array.from(vector);
      const compared = ids === undefined ? [...stored.values()] : ids.flatMap((id) => stored.get(id) ?? []);
      const distances = compared.map((each) => [each.document.id, 1 - dot(query, each.vector)] as const);
      return new Map(distances.sort(([, a], [, b]) => a - b).slice(0, limit));
    },
  };
}
