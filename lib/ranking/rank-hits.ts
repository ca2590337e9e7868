// Ranking of search hits by a weighted sum of features, each with a strength on the current query.
// Pure functions. docs/internals/retrieval.md has the measured effect of each feature.

import { tokenize, tokenizeWords } from "../text/tokenize.ts";
import { bm25, type TermWeight, type WeightedTerms, weightTerms } from "./bm25.ts";
import { byScoreThenId, type Fused, fuse, type Strengths } from "./fuse.ts";
import { pairsOf, proximity } from "./proximity.ts";
import { createTitleMatcher, type TitleMatcher } from "./title-match.ts";

/**
 * The contribution of each feature at full strength. Round figures on a plateau: `npm run bench -- retrieval --ablate`
 * prints the effect of halving and doubling each.
 *
 * - `bm25`: BM25 of the chunk, divided by the best chunk's.
 * - `document`: BM25 of the whole text that holds the chunk, or of its passage in a long text, divided by the best.
 * - `title`: match between title and query; in a long text, the best of the title and the chunk's headings.
 * - `name`: the query contains the title or the file name word for word: an alert names its runbook. In a long text the
 *   chunk's headings count too; if no name matches at all, so does an alert name inside the chunk.
 * - `proximity`: share of the query's neighbouring terms that are close together in the chunk; only for the best hits.
 * - `dense`: vector similarity, 1 for the nearest hit, 0 for the farthest.
 * - `type`: the text is about the recognised incident type.
 * - `domain`: the report hints at the text's domain.
 */
export const FEATURE_WEIGHTS = {
  bm25: 1,
  document: 1.5,
  title: 2.5,
  name: 1,
  proximity: 0.5,
  dense: 1,
  type: 1,
  domain: 1,
} as const;

export type RankingFeature = keyof typeof FEATURE_WEIGHTS;

/** A search hit: a chunk of a text, or a text that was not split. */
export interface RankableHit {
  readonly id: string;
  /** The name of the text that holds the chunk; null for a text that was not split. */
  readonly source: string | null;
  /** What is ranked as a whole: the text, or the topic of it that holds the chunk. `title` is null for a text. */
  readonly topic: { readonly key: string; readonly title: string | null };
  readonly chunkIndex: number | null;
  readonly title: string;
  /** Headings above the chunk, outermost first, without the title. */
  readonly headingPath: readonly string[];
  readonly body: string;
  /** BM25 score, when the keyword search found it. */
  readonly bm25?: number | undefined;
  /** Cosine distance, when the dense search found it. */
  readonly distance?: number | undefined;
  readonly isSameType: boolean;
  /** How strongly the report hints at the text's domain, 0 to 1. */
  readonly domainPreference: number;
}

/** Neighbouring chunks of a text around a hit. */
export interface Passage {
  /** Indexes of its first and last chunk. */
  readonly first: number;
  readonly last: number;
  /** Number of terms in its chunks. */
  readonly length: number;
  /** Frequency of each query term in its chunks. */
  readonly frequencies: Readonly<Record<string, number>>;
}

/** A text, or a topic of it, with chunks among the hits. */
export interface WholeText {
  readonly key: string;
  /** It has several passages: its sections may have topics of their own. */
  readonly isLong: boolean;
  /** The only passage of a text that is not long is the whole text. */
  readonly passages: readonly Passage[];
}

export interface RankingEvidence {
  readonly query: string;
  readonly sources: readonly WholeText[];
  /** Weights of the query's terms in the collection; empty when the keyword search failed. */
  readonly statistics: Readonly<Record<string, TermWeight>>;
  /** Misspelt terms of the query and their corrections. */
  readonly corrections: Readonly<Record<string, string>>;
}

/** Number of texts that get a `proximity`: it decides among the best hits only, and tokenizing costs time. */
const PROXIMITY_TEXTS = 9;

/** Ranks the candidates, best first. */
export function rankHits(candidates: readonly RankableHit[], evidence: RankingEvidence): Fused<RankingFeature>[] {
  const terms = corrected(tokenize(evidence.query), evidence.corrections);
  const strengths = new Map<string, Strengths<RankingFeature>>(candidates.map(({ id }) => [id, {}]));
  const setStrength = (feature: RankingFeature, strengthOf: (candidate: RankableHit) => number) => {
    for (const candidate of candidates) {
      const strength = strengthOf(candidate);
      const features = strengths.get(candidate.id);
      if (features && strength > 0) features[feature] = strength;
    }
  };
  setStrength(
    "bm25",
    relativeToBest(candidates, ({ bm25: score }) => score ?? 0),
  );
  setTextFeatures(setStrength, candidates, weightTerms(terms), evidence);
  setStrength("dense", nearness(candidates));
  setStrength("type", ({ isSameType }) => Number(isSameType));
  setStrength("domain", ({ domainPreference }) => domainPreference);

  const best = bestOfEachText(fuse(strengths, FEATURE_WEIGHTS), candidates, PROXIMITY_TEXTS);
  const pairs = pairsOf(terms, evidence.statistics);
  setStrength("proximity", ({ id, title, body }) => (best.has(id) ? proximity(pairs, `${title}\n${body}`) : 0));
  return fuse(strengths, FEATURE_WEIGHTS);
}

/** Replaces misspelt terms by their corrections. */
export function corrected(terms: readonly string[], corrections: Readonly<Record<string, string>>): string[] {
  return terms.map((term) => (Object.hasOwn(corrections, term) ? corrections[term] : undefined) ?? term);
}

type SetStrength = (feature: RankingFeature, strengthOf: (candidate: RankableHit) => number) => void;

/** Sets the features that describe the topic: those of a whole text, or of the section of a long text. */
function setTextFeatures(
  setStrength: SetStrength,
  candidates: readonly RankableHit[],
  terms: WeightedTerms,
  { query, sources, statistics }: RankingEvidence,
): void {
  const byKey = new Map(sources.map((text) => [text.key, text]));
  const textOf = ({ topic }: RankableHit) => byKey.get(topic.key);
  const isLong = (candidate: RankableHit) => textOf(candidate)?.isLong ?? false;
  setStrength("document", relativeToBest(candidates, documentScore(sources, textOf, { terms, statistics })));

  const titleOf = ({ topic, title }: RankableHit) => topic.title ?? title;
  const titles = [...new Map(candidates.map((each) => [each.topic.key, titleOf(each)])).values()];
  const matcher = createTitleMatcher(query, terms, { titles, statistics });
  const headingsOf = (candidate: RankableHit) =>
    isLong(candidate) || candidate.topic.title !== null ? candidate.headingPath : [];
  const titleStrength = oncePerText(({ title, topic }) =>
    Math.max(matcher.strengthOf(title), topic.title === null ? 0 : matcher.strengthOf(topic.title)),
  );
  setStrength("title", (candidate) =>
    Math.max(titleStrength(candidate), ...headingsOf(candidate).map((heading) => matcher.strengthOf(heading))),
  );
  const textIsNamed = oncePerText((candidate) => Number(isNamed(matcher, candidate)));
  const isSectionNamed = (candidate: RankableHit) => headingsOf(candidate).some((heading) => matcher.isQuoted(heading));
  const named = new Set(candidates.filter((each) => textIsNamed(each) === 1 || isSectionNamed(each)));
  const alertName = named.size === 0 && candidates.some(isLong) ? alertNamePattern(query) : undefined;
  setStrength("name", (candidate) =>
    Number(named.has(candidate) || (isLong(candidate) && alertName?.test(candidate.body) === true)),
  );
}

/** BM25 of the whole text that holds a candidate; in a long text, of the best passage that holds it. */
function documentScore(
  sources: readonly WholeText[],
  textOf: (candidate: RankableHit) => WholeText | undefined,
  { terms, statistics }: { readonly terms: WeightedTerms; readonly statistics: Record<string, TermWeight> },
): (candidate: RankableHit) => number {
  const average = mean(sources.map(({ passages }) => mean(passages.map(({ length }) => length))));
  const scores = new Map<Passage, number>();
  const scoreOf = (passage: Passage) => {
    const { frequencies, length } = passage;
    const frequencyOf = (term: string) => (Object.hasOwn(frequencies, term) ? (frequencies[term] ?? 0) : 0);
    const score =
      scores.get(passage) ?? bm25(terms, frequencyOf, { relativeLength: length / Math.max(1, average), statistics });
    scores.set(passage, score);
    return score;
  };
  return (candidate) => {
    const text = textOf(candidate);
    // A text that was not split is its own whole text.
    if (!text) return candidate.bm25 ?? 0;
    const place = candidate.chunkIndex ?? 0;
    const around = text.isLong
      ? text.passages.filter(({ first, last }) => first <= place && place <= last)
      : text.passages;
    return Math.max(0, ...around.map(scoreOf));
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** A report begins with its alert's name; later identifiers are those of resources. */
const MAX_IDENTIFIERS = 8;
/** Shorter identifiers occur by chance: kube-system, NotReady. */
const MIN_WORDS_OF_ALERT_NAME = 3;

/** Matches the query's first identifiers of at least three words, such as KubePodCrashLooping or disk_space_usage. */
function alertNamePattern(query: string): RegExp | undefined {
  const identifiers = (query.match(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu) ?? [])
    .filter((word) => tokenizeWords(word).length >= MIN_WORDS_OF_ALERT_NAME)
    .slice(0, MAX_IDENTIFIERS);
  if (identifiers.length === 0) return undefined;
  return new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${identifiers.join("|")})(?![\\p{L}\\p{N}_-])`, "u");
}

function isNamed(matcher: TitleMatcher, { title, source }: RankableHit): boolean {
  const fileName = source
    ?.split("/")
    .at(-1)
    ?.replace(/\.\w+$/, "");
  return matcher.isQuoted(title) || (fileName !== undefined && matcher.isQuoted(fileName));
}

/** Measures each text or topic once; its chunks share the value. */
function oncePerText(measure: (candidate: RankableHit) => number): (candidate: RankableHit) => number {
  const values = new Map<string, number>();
  return (candidate) => {
    const text = candidate.topic.key;
    const value = values.get(text) ?? measure(candidate);
    values.set(text, value);
    return value;
  };
}

/** Scores divided by the best score, 0 to 1. */
function relativeToBest(
  candidates: readonly RankableHit[],
  scoreOf: (candidate: RankableHit) => number,
): (candidate: RankableHit) => number {
  const scores = new Map(candidates.map((candidate) => [candidate.id, scoreOf(candidate)]));
  const best = Math.max(0, ...scores.values());
  return ({ id }) => (best === 0 ? 0 : (scores.get(id) ?? 0) / best);
}

/** Maps distances to 1 for the nearest hit and 0 for the farthest: embedding models have no common scale of distances. */
function nearness(candidates: readonly RankableHit[]): (candidate: RankableHit) => number {
  const distances = candidates.flatMap(({ distance }) => (distance === undefined ? [] : [distance]));
  const nearest = Math.min(...distances);
  const spread = Math.max(...distances) - nearest;
  return ({ distance }) => {
    if (distance === undefined) return 0;
    return spread === 0 ? 1 : 1 - (distance - nearest) / spread;
  };
}

/** Returns the ids of the best chunk of each of the `limit` best texts. */
function bestOfEachText(
  ranked: readonly Fused<RankingFeature>[],
  candidates: readonly RankableHit[],
  limit: number,
): ReadonlySet<string> {
  const textOf = new Map(candidates.map(({ id, topic }) => [id, topic.key]));
  const best = new Map<string, string>();
  for (const { id } of ranked.toSorted(byScoreThenId)) {
    const text = textOf.get(id) ?? id;
    if (!best.has(text) && best.size < limit) best.set(text, id);
  }
  return new Set(best.values());
}
