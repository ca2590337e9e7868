// Owns how a recall of past incidents is judged: in which ways the same hits could be ordered, and what each way is worth.
// Pure.

import type { RecalledIncident } from "../../../functions/investigation/recall/recall-result.ts";
import { reciprocalRankFusion } from "./reciprocal-rank.ts";

/** What is asked with: a member of a family, which is no memory of itself. */
export interface Asked {
  readonly domain: string;
  readonly family: string;
  /** Ids of the other members. */
  readonly relatives: ReadonlySet<string>;
  readonly lookAlikes: ReadonlySet<string>;
}

export interface Ranking {
  readonly asked: Asked;
  /** Ids, best first. */
  readonly ids: readonly string[];
}

export interface Figures {
  /** Shares, 0 to 1: a relative comes first, is among the first six. */
  readonly first: number;
  readonly firstSix: number;
  /** Mean of 1 / place of the first relative, 0 where there is none. */
  readonly meanReciprocalRank: number;
  /** Share of the questions for which a look-alike of this family comes first. */
  readonly misled: number;
}

export function figuresOf(rankings: readonly Ranking[]): Figures {
  const share = (holds: (ranking: Ranking) => number) =>
    rankings.reduce((sum, ranking) => sum + holds(ranking), 0) / Math.max(1, rankings.length);
  const placeOf = ({ asked, ids }: Ranking) => ids.findIndex((id) => asked.relatives.has(id)) + 1;
  return {
    first: share((ranking) => Number(placeOf(ranking) === 1)),
    firstSix: share((ranking) => Number(placeOf(ranking) >= 1 && placeOf(ranking) <= 6)),
    meanReciprocalRank: share((ranking) => (placeOf(ranking) === 0 ? 0 : 1 / placeOf(ranking))),
    misled: share(({ asked, ids }) => Number(asked.lookAlikes.has(ids[0] ?? ""))),
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

/** The shipped order with every record's quality taken out of its score: likeness and age alone. */
export function withoutQuality(incidents: readonly RecalledIncident[]): string[] {
  return [...incidents].sort((a, b) => likeness(b) - likeness(a)).map(({ hit }) => hit.document.id);
}

function likeness({ hit: { ranking } }: RecalledIncident): number {
  return ranking.similarity * ranking.decay;
}

export function orderOf(incidents: readonly RecalledIncident[]): string[] {
  return incidents.map(({ hit }) => hit.document.id);
}
