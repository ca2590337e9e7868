// Owns the ranking of what a search found: which signals speak for a text, how strong each is on this query, and what it
// weighs. Pure. docs/retrieval.md has what each signal was measured to bring.

import { countsOf, tokenize } from "../text/tokenize.ts";
import { bm25, type TermWeight, type WeightedTerms, weightTerms } from "./bm25.ts";
import { byScoreThenId, type Fused, fuse, type Strengths } from "./fuse.ts";
import { pairsOf, proximity } from "./proximity.ts";
import { createTitleMatcher, type TitleMatcher } from "./title-match.ts";

/**
 * What a signal of full strength adds. Round figures on a plateau: `npm run bench:retrieval -- --ablate` prints what half
 * and twice of each would change.
 *
 * - `bm25`: the chunk's BM25 over the best one's.
 * - `document`: BM25 of the whole text that the chunk is of, over the best one's.
 * - `lead`: BM25 of title and beginning, where a text says what it is about, over the best one's.
 * - `title`: how far title and query say the same.
 * - `name`: the query says the title or the file's name word for word: an alert names its runbook.
 * - `proximity`: how much of the query's wording stands together; of the best few alone.
 * - `dense`: nearness of the vectors, 1 for the nearest hit, 0 for the farthest.
 * - `type`: it is about the recognised type of incident.
 */
export const FEATURE_WEIGHTS = {
  bm25: 1,
  document: 2,
  lead: 0.5,
  title: 2,
  name: 1.5,
  proximity: 1,
  dense: 0.4,
  type: 1,
} as const;

export type RankingFeature = keyof typeof FEATURE_WEIGHTS;

/** A chunk that one of the searches found, or a text that stands alone. */
export interface Candidate {
  readonly id: string;
  /** The text that a chunk was cut from; null for one that stands alone. */
  readonly source: string | null;
  readonly chunkIndex: number | null;
  readonly title: string;
  readonly body: string;
  /** Where the keyword search found it. */
  readonly bm25?: number | undefined;
  /** Cosine distance, where the search by meaning found it. */
  readonly distance?: number | undefined;
  readonly isSameType: boolean;
}

/** A whole text, of which chunks were found. */
export interface SourceText {
  readonly source: string;
  /** Terms in all of its chunks. */
  readonly length: number;
  /** How often each of the query's terms is among them. */
  readonly frequencies: Readonly<Record<string, number>>;
  /** Its beginning. */
  readonly lead: string;
}

export interface RankingEvidence {
  readonly query: string;
  readonly sources: readonly SourceText[];
  /** What the query's terms say in the collection; empty where the keyword search was missing. */
  readonly statistics: Readonly<Record<string, TermWeight>>;
  /** Misspelt terms of the query, and what they were taken for. */
  readonly corrections: Readonly<Record<string, string>>;
}

/** Texts whose wording is read word by word; the last step decides among the best, and reading costs time. */
const READ_CLOSELY = 9;
const LEAD_WORDS = 80;

/** Best first. */
export function rankHits(candidates: readonly Candidate[], evidence: RankingEvidence): Fused<RankingFeature>[] {
  const terms = corrected(tokenize(evidence.query), evidence.corrections);
  const strengths = new Map<string, Strengths<RankingFeature>>(candidates.map(({ id }) => [id, {}]));
  const give = (signal: RankingFeature, strengthOf: (candidate: Candidate) => number) => {
    for (const candidate of candidates) {
      const strength = strengthOf(candidate);
      const known = strengths.get(candidate.id);
      if (known && strength > 0) known[signal] = strength;
    }
  };
  give(
    "bm25",
    overBest(candidates, ({ bm25: score }) => score ?? 0),
  );
  giveWholeTexts(give, candidates, weightTerms(terms), evidence);
  give("dense", nearness(candidates));
  give("type", ({ isSameType }) => Number(isSameType));

  const closely = bestOfEachText(fuse(strengths, FEATURE_WEIGHTS), candidates, READ_CLOSELY);
  const pairs = pairsOf(terms, evidence.statistics);
  give("proximity", ({ id, title, body }) => (closely.has(id) ? proximity(pairs, `${title}\n${body}`) : 0));
  return fuse(strengths, FEATURE_WEIGHTS);
}

/** The terms with what misspelt ones were taken for in their places. */
export function corrected(terms: readonly string[], corrections: Readonly<Record<string, string>>): string[] {
  return terms.map((term) => (Object.hasOwn(corrections, term) ? corrections[term] : undefined) ?? term);
}

type Give = (signal: RankingFeature, strengthOf: (candidate: Candidate) => number) => void;

/** What is true of a text as a whole, and so of each of its chunks. */
function giveWholeTexts(
  give: Give,
  candidates: readonly Candidate[],
  terms: WeightedTerms,
  { query, sources, statistics }: RankingEvidence,
): void {
  const bySource = new Map(sources.map((text) => [text.source, text]));
  const textOf = ({ source }: Candidate) => (source === null ? undefined : bySource.get(source));
  const average = sources.reduce((sum, { length }) => sum + length, 0) / Math.max(1, sources.length);
  give(
    "document",
    overBest(candidates, (candidate) => {
      const text = textOf(candidate);
      // What stands alone is its own whole.
      if (!text) return candidate.bm25 ?? 0;
      const { frequencies, length } = text;
      const frequencyOf = (term: string) => (Object.hasOwn(frequencies, term) ? (frequencies[term] ?? 0) : 0);
      return bm25(terms, frequencyOf, { relativeLength: length / Math.max(1, average), statistics });
    }),
  );
  const beginnings = new Map(candidates.filter(isBeginning).map((each) => [each.source ?? each.id, each.body]));
  give(
    "lead",
    overBest(
      candidates,
      oncePerText((candidate) => {
        const beginning = textOf(candidate)?.lead ?? beginnings.get(candidate.source ?? candidate.id) ?? "";
        const lead = `${candidate.title}\n${beginning.split(/\s+/, LEAD_WORDS).join(" ")}`;
        const counts = countsOf(tokenize(lead));
        // Beginnings are of one length.
        return bm25(terms, (term) => counts.get(term) ?? 0, { relativeLength: 1, statistics });
      }),
    ),
  );
  const titles = [...new Map(candidates.map((each) => [each.source ?? each.id, each.title])).values()];
  const matcher = createTitleMatcher(query, terms, { titles, statistics });
  give(
    "title",
    oncePerText(({ title }) => matcher.strengthOf(title)),
  );
  give(
    "name",
    oncePerText((candidate) => Number(isNamed(matcher, candidate))),
  );
}

function isBeginning({ chunkIndex }: Candidate): boolean {
  return chunkIndex === null || chunkIndex === 0;
}

function isNamed(matcher: TitleMatcher, { title, source }: Candidate): boolean {
  const fileName = source
    ?.split("/")
    .at(-1)
    ?.replace(/\.\w+$/, "");
  return matcher.isSaid(title) || (fileName !== undefined && matcher.isSaid(fileName));
}

/** The chunks of a text share what is true of the whole. */
function oncePerText(measure: (candidate: Candidate) => number): (candidate: Candidate) => number {
  const known = new Map<string, number>();
  return (candidate) => {
    const text = candidate.source ?? candidate.id;
    const value = known.get(text) ?? measure(candidate);
    known.set(text, value);
    return value;
  };
}

function overBest(
  candidates: readonly Candidate[],
  scoreOf: (candidate: Candidate) => number,
): (candidate: Candidate) => number {
  const scores = new Map(candidates.map((candidate) => [candidate.id, scoreOf(candidate)]));
  const best = Math.max(0, ...scores.values());
  return ({ id }) => (best === 0 ? 0 : (scores.get(id) ?? 0) / best);
}

/** Distances of one embedding model are of no fixed scale: they are judged by the spread of this query's. */
function nearness(candidates: readonly Candidate[]): (candidate: Candidate) => number {
  const distances = candidates.flatMap(({ distance }) => (distance === undefined ? [] : [distance]));
  const nearest = Math.min(...distances);
  const spread = Math.max(...distances) - nearest;
  return ({ distance }) => {
    if (distance === undefined) return 0;
    return spread === 0 ? 1 : 1 - (distance - nearest) / spread;
  };
}

/** Ids of the best chunk of each of the best texts. */
function bestOfEachText(
  ranked: readonly Fused<RankingFeature>[],
  candidates: readonly Candidate[],
  limit: number,
): ReadonlySet<string> {
  const textOf = new Map(candidates.map(({ id, source }) => [id, source ?? id]));
  const best = new Map<string, string>();
  for (const { id } of ranked.toSorted(byScoreThenId)) {
    const text = textOf.get(id) ?? id;
    if (!best.has(text) && best.size < limit) best.set(text, id);
  }
  return new Set(best.values());
}
