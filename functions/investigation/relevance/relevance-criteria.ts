// Scores how well recalled texts cover a report: the grounding, 0 to 1.

import { relevanceOfCosineDistance } from "../../adapters/vector-store.ts";
import { groundingScore, type RelevanceScale } from "../../retrieval/ranking/grounding.ts";
import { corrected } from "../../retrieval/ranking/rank-hits.ts";
import { tokenize } from "../../retrieval/text/tokenize.ts";
import { UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { type Incident, searchText } from "../../schemas/incident.ts";
import type { HybridHit, HybridResult, TermStatistics } from "../../search-index/hybrid-search.ts";
import { domainOf, keywordText, type SearchDocument } from "../../search-index/search-document.ts";
import { logOddsOf, type Relevance } from "./relevance.ts";

/** The terms and statistics of a report that recalled texts are scored against. */
export interface RelevanceCriteria {
  readonly headline: ReadonlySet<string>;
  /** Terms of the error lines. Separate from the headline: a vague title may come with a specific log. */
  readonly logs: ReadonlySet<string>;
  /** Undefined if no type was recognised. */
  readonly incidentType: string | undefined;
  /** The type counts for texts of these domains: the chosen one, or those that words hint at while nothing chose one. */
  readonly typeDomains: readonly string[];
  readonly statistics: Readonly<Record<string, TermStatistics>> | undefined;
  readonly scale: RelevanceScale;
}

export function createRelevanceCriteria(
  incident: Incident,
  lines: readonly string[],
  statistics: Readonly<Record<string, TermStatistics>>,
  { corrections = {}, ...scale }: RelevanceScale & Partial<Pick<HybridResult, "corrections">>,
): RelevanceCriteria {
  const { name, decidedBy, preferred } = incident.domain;
  const isTyped = incident.type.name !== UNKNOWN_INCIDENT_TYPE;
  const termsOf = (text: string) => corrected(tokenize(text), corrections);
  return {
    headline: new Set(termsOf(searchText(incident))),
    logs: new Set(lines.flatMap(termsOf)),
    incidentType: isTyped ? incident.type.name : undefined,
    typeDomains: decidedBy === "none" ? Object.keys(preferred) : [name],
    statistics: Object.keys(statistics).length > 0 ? statistics : undefined,
    scale,
  };
}

/** How well the texts of one source cover the headline or the logs, whichever is higher; 0 to 1. */
export function assessRelevance(
  criteria: RelevanceCriteria,
  texts: readonly SearchDocument[],
  hits: readonly Pick<HybridHit, "distance">[],
): Relevance {
  const textTerms = new Set(texts.flatMap((document) => tokenize(keywordText(document))));
  const distances = hits.flatMap(({ distance }) => (distance === undefined ? [] : [distance]));
  const relevance = distances.length > 0 ? relevanceOfCosineDistance(Math.min(...distances)) : undefined;
  const { incidentType, typeDomains, statistics, scale } = criteria;
  const isSameType =
    incidentType !== undefined &&
    texts.some((text) => text.metadata.incident_type === incidentType && typeDomains.includes(domainOf(text)));
  const score = (queryTerms: ReadonlySet<string>) =>
    groundingScore({ queryTerms, textTerms, statistics, relevance, isSameType }, scale);
  const headline = score(criteria.headline);
  const probability = roundShare(criteria.logs.size === 0 ? headline : Math.max(headline, score(criteria.logs)));
  const logOdds = logOddsOf(Math.min(0.99, Math.max(0.01, probability)));
  return { probability, logOdds, contributions: { bias: logOdds } };
}

/** Rounds to two digits. Shown and compared values are the same. */
export function roundShare(value: number): number {
  return Math.round(value * 100) / 100;
}
