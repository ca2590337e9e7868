// Quality figures of a recall of past incidents, and alternative orders of the same hits. Pure functions.

import type { RecalledIncident } from "../../functions/investigation/recall/recall-result.ts";
import { reciprocalRankFusion } from "../retrieval/reciprocal-rank.ts";

/** A member of a family as the query for the other members. */
export interface FamilyQuery {
  readonly domain: string;
  readonly family: string;
  /** Ids of the other members. */
  readonly relatives: ReadonlySet<string>;
  readonly lookAlikes: ReadonlySet<string>;
}

export interface Ranking {
  readonly query: FamilyQuery;
  /** Ids, best first. */
  readonly ids: readonly string[];
}

export interface Figures {
  /** Share of the queries, 0 to 1, for which a relative is first, or among the first six. */
  readonly first: number;
  readonly firstSix: number;
  /** Mean of 1 / rank of the first relative; 0 when there is none. */
  readonly meanReciprocalRank: number;
  /** Share of the queries for which a look-alike of the family comes first. */
  readonly misled: number;
}

export function figuresOf(rankings: readonly Ranking[]): Figures {
  const meanOf = (value: (ranking: Ranking) => number) =>
    rankings.reduce((sum, ranking) => sum + value(ranking), 0) / Math.max(1, rankings.length);
  const rankOf = ({ query, ids }: Ranking) => ids.findIndex((id) => query.relatives.has(id)) + 1;
  return {
    first: meanOf((ranking) => Number(rankOf(ranking) === 1)),
    firstSix: meanOf((ranking) => Number(rankOf(ranking) >= 1 && rankOf(ranking) <= 6)),
    meanReciprocalRank: meanOf((ranking) => (rankOf(ranking) === 0 ? 0 : 1 / rankOf(ranking))),
    misled: meanOf(({ query, ids }) => Number(query.lookAlikes.has(ids[0] ?? ""))),
  };
}

export const ORDERS = ["vectors only", "BM25 only", "RRF of both"] as const;

/** The same hits in the order of one feature, or of both by reciprocal rank. */
export function orderBy(order: (typeof ORDERS)[number], incidents: readonly RecalledIncident[]): string[] {
  const hits = incidents.map(({ hit }) => hit);
  const dense = hits
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0))
    .map(({ document }) => document.id);
  const bm25 = hits
    .filter((hit) => hit.bm25 !== undefined)
    .sort((a, b) => (b.bm25?.score ?? 0) - (a.bm25?.score ?? 0))
    .map(({ document }) => document.id);
  if (order === "vectors only") return dense;
  if (order === "BM25 only") return bm25;
  return reciprocalRankFusion([dense, bm25]);
}

/** The shipped order without the quality factor of the score: similarity and age alone. */
export function withoutQuality(incidents: readonly RecalledIncident[]): string[] {
  return [...incidents].sort((a, b) => similarity(b) - similarity(a)).map(({ hit }) => hit.document.id);
}

function similarity({ relevance, hit: { ranking } }: RecalledIncident): number {
  return relevance.probability * ranking.decay;
}

export function orderOf(incidents: readonly RecalledIncident[]): string[] {
  return incidents.map(({ hit }) => hit.document.id);
}
