// Hybrid search over one collection: dense and keyword search in parallel, ranked together, with the contributions of each
// hit. If one of the two fails, the other answers alone and the result lists the failures. A search may be limited to
// domains; the keyword search then returns hits of the others too, so that the search can be widened. Excluded domains are
// never searched.

import { z } from "zod";
import { B, bm25, K1 } from "../../lib/ranking/bm25.ts";
import type { Contribution } from "../../lib/ranking/fuse.ts";
import { type RankableHit, type RankingFeature, rankHits } from "../../lib/ranking/rank-hits.ts";
import { tokenize } from "../../lib/text/tokenize.ts";
import type { Database } from "../adapters/database.ts";
import type { Filter, VectorHit, VectorStore } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import type { SearchScope } from "../schemas/domain.ts";
import type { ChosenRunbook } from "../schemas/triage-result.ts";
import type { Collection } from "./collections.ts";
import {
  type DenseResult,
  isInScope,
  nearestFirst,
  scopeFilter,
  searchDense,
  searchDenseInDomains,
} from "./dense-search.ts";
import { createRowCache, unlessCachedSchema } from "./row-cache.ts";
import {
  documentFromIndex,
  documentFromRow,
  documentRowSchema,
  domainOf,
  type SearchDocument,
  searchedBody,
  topicOf,
} from "./search-document.ts";

/** `attached`: the report names the runbook. */
export type HitFeature = RankingFeature | "attached";

export interface HybridHit {
  readonly document: SearchDocument;
  /** Sum of the contributions' values; 0 to about 9. */
  readonly score: number;
  readonly contributions: Partial<Record<HitFeature, Contribution>>;
  /** Cosine distance, when the dense search found it. */
  readonly distance?: number;
  /** Who chose the runbook for the reported failure. */
  readonly chosen?: ChosenRunbook;
  /** BM25 score and the contribution of each query term, when the keyword search found it. */
  readonly bm25?: { readonly score: number; readonly terms: Readonly<Record<string, number>> };
}

export interface TermStatistics {
  /** Number of documents in the collection that hold the term; 0 for an unknown term. */
  readonly df: number;
  readonly idf: number;
}

export interface HybridResult {
  /** Best first. */
  readonly hits: readonly HybridHit[];
  /** Other chunks of the best sources of the keyword search. */
  readonly siblings: readonly SearchDocument[];
  /** Weights of the query's terms in this collection; empty when the keyword search failed. */
  readonly terms: Readonly<Record<string, TermStatistics>>;
  /** Corrections of words that do not occur in the collection. */
  readonly corrections: Readonly<Record<string, string>>;
  /** Failed dependencies. */
  readonly missing: readonly DependencyError[];
  /** Searches the other domains too, with the same keyword hits; undefined if the search covered all of them. */
  readonly widen?: () => Promise<HybridResult>;
}

export interface IncidentTypeQuery {
  readonly name: string;
  /** The domain whose type it is; null for a type of any domain. */
  readonly domain: string | null;
  /** Whether a text has words that decide for the type. */
  readonly isNamedIn: (text: string) => boolean;
}

export interface HybridQuery {
  readonly collection: Collection;
  readonly scope: SearchScope;
  /** Query vector of the dense search; may still be pending. */
  readonly vector: Promise<readonly number[]>;
  /** Text of the keyword search. */
  readonly keywords: string;
  /** Maximum number of hits from each of the two searches. */
  readonly candidates: number;
  /** Number of best topics that are returned with all their chunks. */
  readonly siblingTexts: number;
  /** Additional hits of curated runbooks from each search: a long log must not crowd out the procedure. */
  readonly curatedCandidates?: number;
  /** The recognised incident type; hits about the same type rank higher. */
  readonly incidentType?: IncidentTypeQuery | undefined;
}

const documentSchema = documentRowSchema
  .omit({ content_hash: true })
  .extend({ is_pending: z.boolean().describe("The vector store has an older text.") })
  .transform((row): StoredDocument => ({ ...documentFromRow(row), isPending: row.is_pending }));
/** What the keyword search reads of a query. */
export type KeywordQuery = Pick<
  HybridQuery,
  "collection" | "keywords" | "candidates" | "curatedCandidates" | "siblingTexts" | "scope"
>;

/** The result of `search_documents`. */
export const keywordResultSchema = z
  .object({
    terms: z.array(z.string()),
    /** Of each term, the number of documents that hold it. */
    dfs: z.array(z.number()),
    /** Of each term in the query. */
    weights: z.array(z.number()),
    /** In the collection. */
    documents: z.number(),
    average_length: z.number(),
    /** Id, score, number of terms, and frequencies of the query's terms. */
    hits: z.array(z.tuple([z.string(), z.number(), z.number(), z.string()])),
    /** Ids. */
    siblings: z.array(z.string()),
    /** Unknown words and their corrections; both are searched for. */
    corrections: z.record(z.string(), z.string()),
    /** Topics of the hits, and texts without topics, except logs, with their passages around the hits. */
    sources: z.array(
      z.object({
        source: z.string(),
        topic: z.string().nullable().describe("Null for a whole text."),
        is_long: z.boolean().describe("Longer than a passage."),
        passages: z.array(
          z.object({
            first: z.number().int(),
            last: z.number().int(),
            length: z.number().describe("Number of terms."),
            frequencies: z.string().describe("Of the query's terms."),
          }),
        ),
      }),
    ),
  })
  .transform(({ terms, dfs, weights, documents, average_length, hits, siblings, corrections, sources }) => {
    const statistics = Object.fromEntries(
      terms.map((term, place): [string, TermStatistics] => {
        const df = dfs[place] ?? 0;
        return [term, { df, idf: Math.log(1 + (documents - df + 0.5) / (df + 0.5)) }];
      }),
    );
    const weightOf = new Map(terms.map((term, place) => [term, weights[place] ?? 0]));
    const contributionsOf = (length: number, text: string) => {
      const relativeLength = length / average_length;
      return mapFrequencies(text, terms, (term, frequency) => {
        const weighted = new Map([[term, weightOf.get(term) ?? 0]]);
        return roundContribution(bm25(weighted, () => frequency, { relativeLength, statistics }));
      });
    };
    return {
      terms: statistics,
      hits: hits.map(([id, score, length, text]) => ({ id, score, contributions: contributionsOf(length, text) })),
      siblings,
      corrections,
      sources: sources.map(({ source, topic, is_long, passages }) => ({
        key: topic === null ? source : `${source}#${topic}`,
        isLong: is_long,
        passages: passages.map((passage) => ({
          ...passage,
          frequencies: mapFrequencies(passage.frequencies, terms, (_, frequency) => frequency),
        })),
      })),
    };
  });

/** @param text as the SQL function `frequencies_text` writes it, with the places of these terms */
function mapFrequencies(
  text: string,
  terms: readonly string[],
  toValue: (term: string, frequency: number) => number,
): Record<string, number> {
  const entries = text === "" ? [] : text.split(" ");
  return Object.fromEntries(
    entries.map((entry) => {
      const [place, frequency = "1"] = entry.split(":");
      const term = terms[Number(place)] ?? "";
      return [term, toValue(term, Number(frequency))];
    }),
  );
}

const DECIMALS = 10_000;

function roundContribution(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}

export type KeywordResult = z.infer<typeof keywordResultSchema>;
export type KeywordHit = KeywordResult["hits"][number];

export const EMPTY_RESULT: KeywordResult = {
  terms: {},
  hits: [],
  siblings: [],
  corrections: {},
  sources: [],
};

/**
 * @param keywordSearch started by the caller, to search several collections in one round trip
 * @throws BothSearchesFailed when neither search could be made
 */
export async function hybridSearch(
  stores: { readonly database: Database; readonly vectors: VectorStore },
  query: HybridQuery,
  keywordSearch: Promise<KeywordResult> = searchKeywords(stores.database, [query]).then(
    ([result]) => result ?? EMPTY_RESULT,
  ),
): Promise<HybridResult> {
  const [dense, keyword] = await Promise.all([searchByMeaning(stores.vectors, query), settle(keywordSearch)]);
  const missing = [...dense.missing, ...(keyword.ok ? [] : [keyword.error])];
  if (dense.hits === undefined && !keyword.ok) throw new BothSearchesFailed(missing);

  const keywordResult = keyword.ok ? keyword.value : EMPTY_RESULT;
  const resultOf = async (
    denseHits: readonly VectorHit[],
    ranked: HybridQuery,
    failures: readonly DependencyError[],
  ): Promise<HybridResult> => {
    const hitIds = new Set([...denseHits, ...keywordResult.hits].map(({ id }) => id));
    // A database that has just failed is not asked again.
    const read = await readDocuments(stores, query.collection, [...hitIds, ...keywordResult.siblings], keyword.ok);
    if (read.documents === undefined) throw new BothSearchesFailed([...failures, ...read.missing]);
    const { documents } = read;
    const distances = new Map(denseHits.map(({ id, distance }) => [id, distance]));
    // By an older text, a document is no hit.
    const keywordIds = new Set(keywordResult.hits.map(({ id }) => id));
    const isHit = (id: string, { isPending }: StoredDocument) => hitIds.has(id) && (keywordIds.has(id) || !isPending);
    const ofHits = new Map([...documents].filter(([id, document]) => isHit(id, document)));
    return {
      hits: rankDocuments({ documents: ofHits, distances, keywordHits: keywordResult.hits }, keywordResult, ranked),
      siblings: keywordResult.siblings.flatMap((id) => documents.get(id) ?? []),
      terms: keywordResult.terms,
      corrections: keywordResult.corrections,
      missing: [...failures, ...read.missing],
    };
  };
  const result = await resultOf(dense.hits ?? [], query, missing);
  if (query.scope.only === null) return result;
  const wide: HybridQuery = { ...query, scope: { ...query.scope, only: null } };
  const widen = async () => {
    // A store that has just failed is not asked again.
    if (dense.hits === undefined) return resultOf([], wide, missing);
    const others = await searchByMeaning(stores.vectors, wide);
    return resultOf(nearestFirst([...dense.hits, ...(others.hits ?? [])]), wide, [...missing, ...others.missing]);
  };
  return { ...result, widen };
}

/** Documents that one isolate keeps: some hundred KB. Those of the built-in runbooks are fewer. */
const KEPT_DOCUMENTS = 1_000;
const DOCUMENTS = createRowCache<StoredDocument>(KEPT_DOCUMENTS);

interface StoredDocument extends SearchDocument {
  readonly isPending: boolean;
}

interface ReadDocuments {
  /** By id, without those that were deleted; undefined if neither store has answered. */
  readonly documents: ReadonlyMap<string, StoredDocument> | undefined;
  readonly missing: readonly DependencyError[];
}

/** The rows of the database; while it is unavailable, the copies of the vector store. */
async function readDocuments(
  { database, vectors }: { readonly database: Database; readonly vectors: VectorStore },
  collection: Collection,
  ids: readonly string[],
  isDatabaseAvailable: boolean,
): Promise<ReadDocuments> {
  if (ids.length === 0) return { documents: new Map(), missing: [] };
  const byId = (documents: readonly StoredDocument[]) => new Map(documents.map((each) => [each.id, each]));
  const cached = DOCUMENTS.cachedOf(ids);
  const p = { collection, ids: [...ids], cached: cached.hashes };
  const rows = isDatabaseAvailable
    ? await settle(database.call("read_documents", { p }, unlessCachedSchema(documentSchema), { retries: 1 }))
    : undefined;
  if (rows?.ok === true) return { documents: byId(cached.read(rows.value)), missing: [] };
  const copies = await settle(vectors.find(collection, { ids, limit: ids.length }));
  const failed = rows === undefined ? [] : [rows.error];
  return copies.ok
    ? {
        documents: byId(copies.value.map((copy) => ({ ...documentFromIndex(copy), isPending: false }))),
        missing: failed,
      }
    : { documents: undefined, missing: [...failed, copies.error] };
}

/** Documents of one collection that a search found, with what each search said of them. */
interface FoundDocuments {
  readonly documents: ReadonlyMap<string, SearchDocument>;
  /** Cosine distances, by id. */
  readonly distances: ReadonlyMap<string, number>;
  readonly keywordHits: readonly KeywordHit[];
}

/** Starts the keyword searches of several collections in one round trip. Each promise fails with the request. */
export function searchKeywordsTogether(database: Database, queries: readonly KeywordQuery[]): Promise<KeywordResult>[] {
  const results = searchKeywords(database, queries);
  return queries.map(async (_, i) => (await results)[i] ?? EMPTY_RESULT);
}

/** Keyword searches of several collections in one round trip, in the order of the queries. @throws DependencyError */
export async function searchKeywords(database: Database, queries: readonly KeywordQuery[]): Promise<KeywordResult[]> {
  const searches = queries.map((query) => ({
    collection: query.collection,
    terms: [...tokenize(query.keywords)],
    top: query.candidates,
    k1: K1,
    b: B,
    sibling_sources: query.siblingTexts,
    curated_top: query.curatedCandidates ?? 0,
    domains: query.scope.only === null ? null : [...query.scope.only],
    excluded_domains: [...query.scope.excluded],
  }));
  return database.call("search_collections", { p_searches: searches }, z.array(keywordResultSchema), { retries: 1 });
}

/** Thrown when both the dense and the keyword search failed. */
export class BothSearchesFailed extends Error {
  override readonly name = "BothSearchesFailed";
  readonly failures: readonly DependencyError[];

  constructor(failures: readonly DependencyError[]) {
    super(failures.map((failure) => failure.message).join("; "));
    this.failures = failures;
  }
}

const CURATED: Filter = { op: "equals", field: "kind", value: "runbook" };

async function searchByMeaning(vectors: VectorStore, query: HybridQuery): Promise<DenseResult> {
  const { collection, vector, candidates, curatedCandidates = 0, scope } = query;
  const domainFilter = scopeFilter(scope);
  // One search with more hits instead of a second one for a runbook: it saves a request, and Chroma collects all texts that
  // fulfil a condition before it searches. Most texts are runbooks.
  const limit = curatedCandidates > 0 ? 2 * candidates : candidates;
  const enough = candidates;
  const dense =
    scope.only === null
      ? await searchDenseInDomains(vectors, collection, vector, { limit, enough, ...scope })
      : await searchDense(vectors, collection, vector, { limit, ...(domainFilter ? { filter: domainFilter } : {}) });
  if (dense.hits === undefined) return dense;
  const curated = dense.hits.filter(({ metadata }) => metadata.kind === "runbook").slice(0, curatedCandidates);
  const nearest = nearestFirst([...dense.hits.slice(0, candidates), ...curated]);
  if (curated.length === curatedCandidates || dense.isAll) return { ...dense, hits: nearest };
  const filter: Filter = domainFilter ? { op: "and", filters: [CURATED, domainFilter] } : CURATED;
  const others = await searchDense(vectors, collection, vector, { limit: curatedCandidates, filter });
  return { hits: nearestFirst([...nearest, ...(others.hits ?? [])]), missing: others.missing };
}

/** The documents within the scope, best first. */
export function rankDocuments(
  { documents, distances, keywordHits }: FoundDocuments,
  { terms, sources, corrections }: Pick<KeywordResult, "terms" | "sources" | "corrections">,
  { keywords, incidentType, scope }: Pick<HybridQuery, "keywords" | "incidentType" | "scope">,
): HybridHit[] {
  const keywordById = new Map(keywordHits.map((hit) => [hit.id, hit]));
  const ranked = [...documents.values()].filter((document) => isInScope(scope, domainOf(document)));
  const candidates = ranked.map(
    (document): RankableHit => ({
      ...document,
      topic: topicOf(document),
      body: searchedBody(document),
      bm25: keywordById.get(document.id)?.score,
      distance: distances.get(document.id),
      isSameType: incidentType !== undefined && isOfType(document, incidentType),
      domainPreference: strengthOf(scope.preferred, domainOf(document)),
    }),
  );
  return rankHits(candidates, { query: keywords, sources, statistics: terms, corrections }).flatMap(
    (fused): HybridHit[] => {
      const distance = distances.get(fused.id);
      const fromKeyword = keywordById.get(fused.id);
      const document = documents.get(fused.id);
      if (!document) return [];
      return [
        {
          document,
          score: fused.score,
          contributions: fused.contributions,
          ...(distance === undefined ? {} : { distance }),
          ...(fromKeyword ? { bm25: { score: fromKeyword.score, terms: fromKeyword.contributions } } : {}),
        },
      ];
    },
  );
}

/** A runbook without a type, as most that people bring, is of the type that its words decide for. */
function isOfType(document: SearchDocument, { name, domain, isNamedIn }: IncidentTypeQuery): boolean {
  const { kind, incident_type } = document.metadata;
  if (incident_type === undefined) return kind === "runbook" && isNamedIn(searchedBody(document));
  return incident_type === name && (domain === null || domainOf(document) === domain);
}

function strengthOf(preferred: SearchScope["preferred"], domain: string): number {
  return (Object.hasOwn(preferred, domain) ? preferred[domain] : undefined) ?? 0;
}
