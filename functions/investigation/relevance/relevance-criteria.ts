// Owns how recalled texts are judged against what was asked: is the nearest one near enough to be an answer?

import { relevanceOfCosineDistance } from "../../adapters/vector-store.ts";
import { DOMAINS } from "../../knowledge/domains/index.ts";
import { groundingScore, type RelevanceScale } from "../../retrieval/ranking/grounding.ts";
import { corrected } from "../../retrieval/ranking/rank-hits.ts";
import { tokenize } from "../../retrieval/text/tokenize.ts";
import { UNKNOWN_INCIDENT_TYPE } from "../../schemas/domain.ts";
import { type Incident, recallQuery } from "../../schemas/incident.ts";
import type { HybridHit, HybridResult, TermStatistics } from "../../search-index/hybrid-search.ts";
import { keywordText, type SearchDocument } from "../../search-index/search-document.ts";

/** What recalled texts are held against. */
export interface RelevanceCriteria {
  readonly headline: ReadonlySet<string>;
  /** The log's failure lines, apart from the headline: a vague title may come with a telling log. */
  readonly logs: ReadonlySet<string>;
  /** Undefined where no type was recognised, and where the domain is a mere default or does not cover what is named. */
  readonly incidentType: string | undefined;
  readonly statistics: Readonly<Record<string, TermStatistics>> | undefined;
  readonly scale: RelevanceScale;
}

export function createRelevanceCriteria(
  incident: Incident,
  signals: readonly string[],
  statistics: Readonly<Record<string, TermStatistics>>,
  { corrections = {}, ...scale }: RelevanceScale & Partial<Pick<HybridResult, "corrections">>,
): RelevanceCriteria {
  const isForeign = DOMAINS[incident.domain.name].foreign?.test(recallQuery(incident)) ?? false;
  const isTyped = incident.type.name !== UNKNOWN_INCIDENT_TYPE && incident.domain.isDecided && !isForeign;
  const termsOf = (text: string) => corrected(tokenize(text), corrections);
  return {
    headline: new Set(termsOf(recallQuery({ ...incident, type: { ...incident.type, name: UNKNOWN_INCIDENT_TYPE } }))),
    logs: new Set(signals.flatMap(termsOf)),
    incidentType: isTyped ? incident.type.name : undefined,
    statistics: Object.keys(statistics).length > 0 ? statistics : undefined,
    scale,
  };
}

/** How well texts that belong together cover the headline or the logs, whichever they cover better; 0 to 1. */
export function assessGrounding(
  criteria: RelevanceCriteria,
  texts: readonly SearchDocument[],
  hits: readonly Pick<HybridHit, "distance">[],
): number {
  const textTerms = new Set(texts.flatMap((document) => tokenize(keywordText(document))));
  const distances = hits.flatMap(({ distance }) => (distance === undefined ? [] : [distance]));
  const relevance = distances.length > 0 ? relevanceOfCosineDistance(Math.min(...distances)) : undefined;
  const { incidentType, statistics, scale } = criteria;
  const isSameType =
    incidentType !== undefined && texts.some(({ metadata }) => metadata.incident_type === incidentType);
  const score = (queryTerms: ReadonlySet<string>) =>
    groundingScore({ queryTerms, textTerms, statistics, relevance, isSameType }, scale);
  const headline = score(criteria.headline);
  return roundShare(criteria.logs.size === 0 ? headline : Math.max(headline, score(criteria.logs)));
}

/** More digits would suggest a precision that a grounding score does not have; what is shown is what is compared. */
export function roundShare(value: number): number {
  return Math.round(value * 100) / 100;
}
