// Owns how recalled texts are judged against what was asked: is the nearest one near enough to be an answer?

import type { HybridHit, TermStatistics } from "../memory/hybrid-search.ts";
import { documentText } from "../memory/search-document.ts";
import { groundingScore } from "../retrieval/grounding.ts";
import { tokenize } from "../retrieval/tokenize.ts";
import { relevanceOfCosineDistance } from "../stores/vector-store.ts";

/** The distinct terms of what was asked; logs apart, since a vague title may come with a telling log. */
export interface QueryTerms {
  readonly headline: ReadonlySet<string>;
  readonly logs: ReadonlySet<string>;
}

type Statistics = Readonly<Record<string, TermStatistics>>;

/** How well a runbook, by its recalled chunks, covers the headline or the logs, whichever it covers better; 0 to 1. */
export function groundSource(hits: readonly HybridHit[], statistics: Statistics, query: QueryTerms): number {
  const matched = new Set(hits.flatMap((hit) => [...matchedTerms(hit, statistics)]));
  const distances = hits.flatMap((hit) => (hit.distance === undefined ? [] : [hit.distance]));
  const relevance = distances.length > 0 ? relevanceOfCosineDistance(Math.min(...distances)) : undefined;
  const score = (terms: ReadonlySet<string>) => groundingScore({ terms: only(statistics, terms), matched, relevance });
  return query.logs.size === 0 ? score(query.headline) : Math.max(score(query.headline), score(query.logs));
}

/** The same for a past incident, which is one text. */
export function groundIncident(hit: HybridHit, statistics: Statistics, query: QueryTerms): number {
  return groundSource([hit], statistics, query);
}

function matchedTerms(hit: HybridHit, statistics: Statistics): Iterable<string> {
  if (hit.bm25) return Object.keys(hit.bm25.terms);
  // Found by its vector alone, below the keyword search's cut: its terms are not known yet.
  return tokenize(documentText(hit.document)).filter((term) => Object.hasOwn(statistics, term));
}

function only(statistics: Statistics, terms: ReadonlySet<string>): Statistics {
  return Object.fromEntries(Object.entries(statistics).filter(([term]) => terms.has(term)));
}
