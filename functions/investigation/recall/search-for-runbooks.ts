// Searches runbooks, notes, logs and postmortems for an incident, and assesses the relevance of the best.

import type { Config } from "../../config.ts";
import type { RecallQuery } from "../../knowledge/recall-runbooks.ts";
import { textKindOf } from "../../knowledge/text-documents.ts";
import type { Calibration } from "../../schemas/calibration.ts";
import type { Incident } from "../../schemas/incident.ts";
import { BothSearchesFailed, type HybridHit, type HybridResult } from "../../search-index/hybrid-search.ts";
import { type SearchDocument, topicOf } from "../../search-index/search-document.ts";
import { inSpan } from "../../telemetry/span.ts";
import type { RelevanceCandidate } from "../relevance/candidate-text.ts";
import { assessRelevance, type RelevanceModels } from "../relevance/relevance-model.ts";
import { createReportTerms } from "../relevance/report-terms.ts";
import type { InvestigationServices } from "../run/investigation-services.ts";
import { runbookRecallAttributes } from "./recall-attributes.ts";
import type { RecalledRunbook } from "./recall-result.ts";

interface RunbookSearchInput {
  readonly query: RecallQuery;
  /** Sections of the runbook that the report names. */
  readonly attached: readonly SearchDocument[];
  readonly calibration: Calibration;
  readonly search: Promise<HybridResult>;
}

export interface SearchedRunbooks {
  readonly search: RunbookSearch;
  /** Best first. */
  readonly runbooks: readonly RecalledRunbook[];
  /** Whether the search was limited to a domain and then covered the others too, because nothing there was relevant. */
  readonly lookedFurther: boolean;
}

/** `failed`: neither keywords nor vectors could be searched. */
export type RunbookSearch = HybridResult & { readonly failed: boolean };

/** Texts whose relevance is assessed, best first; further ones are dropped. */
const MAX_TEXTS = 9;
/** Curated runbooks among them at least: a day of logs must not displace the procedure. */
const MIN_CURATED = 4;

/** Searches the domain that a label chose, and the others only if nothing there is relevant; otherwise all domains. */
export async function searchForRunbooks(
  services: InvestigationServices,
  incident: Incident,
  { query, attached, calibration, search }: RunbookSearchInput,
): Promise<SearchedRunbooks> {
  const { config, relevanceModels } = services;
  const assess = (search: RunbookSearch) => assessRunbooks(relevanceModels, incident, { search, calibration });
  return inSpan("RETRIEVER", "recall runbooks", async (span) => {
    const first = await orEmpty(search);
    const own = { search: first, runbooks: assess(first), lookedFurther: false };
    const isCovered = attached.length > 0 || own.runbooks.some((runbook) => isPossible(runbook, config));
    const result =
      first.widen === undefined || isCovered ? own : await widen(own, await orEmpty(first.widen()), assess, config);
    span.set(() => runbookRecallAttributes(query.keywords, result.search));
    if (result.search.failed) span.fail("BothSearchesFailed", "neither keywords nor vectors could be searched");
    return result;
  });
}

/** Without a relevant runbook anywhere, those of the domain are the nearest. */
async function widen(
  own: SearchedRunbooks,
  search: RunbookSearch,
  assess: (search: RunbookSearch) => RecalledRunbook[],
  config: Config,
): Promise<SearchedRunbooks> {
  const runbooks = assess(search);
  if (runbooks.some((runbook) => isPossible(runbook, config))) return { search, runbooks, lookedFurther: true };
  return { ...own, search: { ...own.search, missing: search.missing }, lookedFurther: true };
}

function isPossible({ relevance }: RecalledRunbook, { POSSIBLE_THRESHOLD }: Config): boolean {
  return relevance.probability >= POSSIBLE_THRESHOLD;
}

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
      missing: error.failures,
      failed: true,
    };
  }
}

function assessRunbooks(
  models: RelevanceModels,
  incident: Incident,
  { search, calibration }: { readonly search: HybridResult; readonly calibration: Calibration },
): RecalledRunbook[] {
  const groups = groupByTopic(search);
  const report = createReportTerms(incident, search);
  const assess = (compared: readonly RunbookGroup[]) =>
    assessRelevance(models.runbooks, report, compared.map(candidateOf), calibration).map(
      (relevance, i) => [compared[i], relevance] as const,
    );
  // Runbooks are compared with runbooks: any number of notes about a failure says nothing against its runbook.
  const curated = groups.filter(isCurated);
  const relevances = new Map([...(curated.length < groups.length ? assess(groups) : []), ...assess(curated)]);
  return groups.flatMap((group) => {
    const relevance = relevances.get(group);
    return relevance ? [{ ...group, relevance }] : [];
  });
}

/** A topic before its relevance is known. */
export type RunbookGroup = Omit<RecalledRunbook, "relevance">;

/**
 * The hits by topic, ordered by the score of each topic's best chunk. An overview only leads to topics, so it is left out while
 * a topic of its text is among them.
 */
export function groupByTopic({ hits, siblings }: Pick<HybridResult, "hits" | "siblings">): RunbookGroup[] {
  const all = Map.groupBy(hits, ({ document }) => topicOf(document).key);
  const textsOfTopics = new Set(
    hits.flatMap(({ document }) => (topicOf(document).isOverview ? [] : [document.source])),
  );
  const isUseful = ([, [best]]: [string, HybridHit[]]) =>
    best !== undefined && !(topicOf(best.document).isOverview && textsOfTopics.has(best.document.source));
  const ranked = [...all]
    .filter(isUseful)
    .sort(([a, ofA], [b, ofB]) => scoreOf(ofB) - scoreOf(ofA) || (a < b ? -1 : 1));
  const curated = ranked.filter(([, hits]) => isCurated({ hits }));
  const kept = new Set([...curated.slice(0, MIN_CURATED), ...ranked].slice(0, MAX_TEXTS));
  return ranked
    .filter((group) => kept.has(group))
    .map(([, ofTopic]) => {
      const documents = ofTopic.map(({ document }) => document);
      return { ...groupOf(documents[0] as SearchDocument, [...documents, ...siblings]), hits: ofTopic };
    });
}

/** The topic of a document, with those of the others that belong to it. Sections that most files of the folder have say nothing about it. */
export function groupOf(first: SearchDocument, documents: readonly SearchDocument[]): RunbookGroup {
  const { key, title, isOverview } = topicOf(first);
  const ofTopic = documents.filter((document) => topicOf(document).key === key);
  const own = ofTopic.filter(({ metadata }) => metadata.shared !== true);
  return {
    source: first.source ?? first.id,
    key,
    title: title ?? first.title,
    isOverview,
    hits: [],
    sections: (own.length > 0 ? own : ofTopic).toSorted((a, b) => (a.chunkIndex ?? 0) - (b.chunkIndex ?? 0)),
  };
}

function isCurated({ hits: [best] }: Pick<RunbookGroup, "hits">): boolean {
  return best !== undefined && textKindOf(best.document) === "runbook";
}

function scoreOf([best]: readonly HybridHit[]): number {
  return best?.score ?? 0;
}

/**
 * The chunks that decide the relevance. For a runbook these are all sections, because it covers one failure. For a note, log
 * or postmortem, which may cover several failures, these are the two best hits.
 */
export function candidateOf({ source, title, hits, sections }: RunbookGroup): RelevanceCandidate {
  const [best] = hits;
  const isRunbook = !best || textKindOf(best.document) === "runbook";
  const texts = isRunbook ? sections : hits.slice(0, 2).map(({ document }) => document);
  return { title, source, hits, texts };
}
