// Features of the model of past incidents: what a report and the record of a failure have in common, and how far the record is
// ahead of the others. The name of the service is no word of the failure: it counts only as the same or another. Pure functions.

import { relevanceOfCosineDistance } from "../../adapters/vector-store.ts";
import type { FailureText } from "./failure-text.ts";
import { lineLikeness, saidLines } from "./line-likeness.ts";
import type { RelevanceFeatures } from "./relevance-features.ts";

export interface ComparedRecord {
  readonly failure: FailureText;
  /** Cosine distance; undefined if no vectors were compared. */
  readonly distance: number | undefined;
  /** Similarity of the ranking, 0 to 1. */
  readonly similarity: number;
}

/** Weight of a term: the fewer texts hold it, the more it says. */
export type Rarity = (term: string) => number;

/** In place of a nearness, or a likeness of logs, that was not compared. */
const UNCOMPARED = 0.5;
/**
 * Distinct words of a log from which on it is compared. With 1, a first report is taken for another failure in 4 in place of 2 of 63
 * (`npm run bench -- hadoop`): two texts whose only word is "fix" are not alike.
 */
const MIN_LOG_WORDS = 3;
const MAX_RANK = 10;
/**
 * Similarities of the ranking that differ by no more are equal: the text of a fix alone changes one by that much. With 0, 33 in
 * place of 35 of 60 short titles (train) find their record first.
 */
const EQUAL_SIMILARITY = 0.1;
/** Labels that name objects: equal names say nothing about the failure. */
const OBJECT_LABEL =
  /^(?:alertname|service|app|job|pod|container|instance|host|node|deployment|statefulset|daemonset)=/;

/** Features of each record, in their order. @param records most similar first */
export function incidentFeatures(
  report: FailureText,
  records: readonly ComparedRecord[],
  idf: Rarity,
): readonly RelevanceFeatures[] {
  const failures = [report, ...records.map(({ failure }) => failure)];
  const amongFailures = rarityAmong(failures.map(({ terms }) => terms));
  const rarities = {
    terms: (term: string) => idf(term) * amongFailures(term),
    phrases: phraseRarity(failures, idf),
    logs: rarityAmong(failures.map(({ logWords }) => logWords)),
    mechanisms: rarityAmong(failures.map(({ mechanisms }) => mechanisms)),
  };
  const own = records.map(({ failure, distance, similarity }) => {
    const nearness = distance === undefined ? UNCOMPARED : relevanceOfCosineDistance(distance);
    const { isInHeadline, ...likeness } = lineLikeness(report, failure, rarities.phrases);
    // The summary of an alert often is the error line, and its description nothing but prose.
    const logged = isInHeadline ? { ...report, logWords: report.logWords.union(report.headline) } : report;
    return {
      ...likeness,
      ...wordFeatures(logged, failure, rarities),
      ...mechanismFeatures(report, failure, rarities.mechanisms),
      ...headlineFeatures(report, failure, { rarity: rarities.terms, nearness }),
      ...identityFeatures(report, failure),
      nearness,
      similarity,
    };
  });
  return own.map((features, rank) => ({ ...features, ...comparisons(own, rank) }));
}

interface Rarities {
  readonly terms: Rarity;
  readonly logs: Rarity;
}

/** Rarity of a phrase among the failures, 1 for one that no other has, times the mean rarity of its words in the runbooks. */
function phraseRarity(failures: readonly FailureText[], idf: Rarity): Rarity {
  const phrases = failures.map((failure) => new Set(saidLines(failure).flatMap((line) => [...line.phrases])));
  const among = rarityAmong(phrases);
  const most = Math.log(1 + failures.length);
  return (phrase) => {
    const words = phrase.split(" ");
    const mean = words.reduce((sum, word) => sum + idf(word), 0) / words.length;
    return (among(phrase) / most) * mean;
  };
}

/** ln(1 + n / df) among n distinct sets: many records of one text do not make its words common. */
function rarityAmong(sets: readonly { keys(): Iterable<string> }[]): Rarity {
  const distinct = new Map(sets.map((set) => [[...set.keys()].join(" "), set]));
  const counts = new Map<string, number>();
  for (const set of distinct.values()) for (const key of set.keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (key) => Math.log(1 + distinct.size / (counts.get(key) ?? 1));
}

/** Cosines of rare words: of headline and error lines, and of the whole logs. The squares tell much from some. */
function wordFeatures(report: FailureText, record: FailureText, rarities: Rarities) {
  const isName = (term: string) => report.targetTerms.has(term) || record.targetTerms.has(term);
  const words = cosine(report.terms, record.terms, (term) => (isName(term) ? 0 : rarities.terms(term)));
  const areCompared = Math.min(report.logWords.size, record.logWords.size) >= MIN_LOG_WORDS;
  const log_words = areCompared ? cosine(report.logWords, record.logWords, rarities.logs) : UNCOMPARED;
  return { words_squared: words ** 2, log_words, log_words_squared: log_words ** 2 };
}

/** `mechanisms`: cosine of the mechanisms. `mechanisms_differ`: 1 minus it if both have some. */
function mechanismFeatures({ mechanisms: own }: FailureText, record: FailureText, rarity: Rarity) {
  const mechanisms = cosineOf(own, record.mechanisms, rarity);
  return {
    mechanisms,
    mechanisms_differ: own.size > 0 && record.mechanisms.size > 0 ? 1 - mechanisms : 0,
    no_mechanism: Number(own.size === 0),
  };
}

interface NearTerms {
  readonly rarity: Rarity;
  /** Of the whole texts, 0 to 1. */
  readonly nearness: number;
}

/**
 * `headline_words`: cosine of the headlines' rare words; `headline_alike`: that times the nearness.
 * `headline_said`: share of the record's headline, by rarity, that the report says anywhere. `same_target`, and `headline_of_target`:
 * `headline_words` where the target is the same. `other_target`: both have a target, and they differ.
 */
function headlineFeatures(report: FailureText, record: FailureText, { rarity, nearness }: NearTerms) {
  const [a, b] = [report.targetTerms, record.targetTerms];
  const weight: Rarity = (term) => (a.has(term) || b.has(term) ? 0 : rarity(term));
  const headline_words = cosine(report.headline, record.headline, weight);
  const mass = massOf(record.headline, weight);
  const same_target = Number(areSame(a, b));
  return {
    headline_words,
    headline_alike: headline_words * nearness,
    headline_said: mass === 0 ? 0 : sharedMass(record.headline, report.terms, weight) / mass,
    same_target,
    other_target: Number(a.size > 0 && b.size > 0 && same_target === 0),
    headline_of_target: same_target * headline_words,
  };
}

/** Whether one name is the other, maybe within a namespace. */
function areSame(a: Terms, b: Terms): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  return small.size > 0 && [...small].every((term) => large.has(term));
}

/** Different types, equal and different alerts, and equal labels. */
function identityFeatures(report: FailureText, record: FailureText) {
  const [a, b] = [report.signature, record.signature];
  const labels = [...report.labels].filter((pair) => !OBJECT_LABEL.test(pair));
  const areTyped = report.type !== "unknown" && record.type !== "unknown";
  const areAlerts = a.alert !== null && b.alert !== null;
  return {
    same_alert: Number(areAlerts && a.alert === b.alert),
    other_alert: Number(areAlerts && a.alert !== b.alert),
    other_type: Number(areTyped && report.type !== record.type),
    labels: labels.length === 0 ? 0 : labels.filter((pair) => record.labels.has(pair)).length / labels.length,
  };
}

type OwnFeatures = Omit<ReturnType<typeof lineLikeness>, "isInHeadline"> &
  ReturnType<typeof wordFeatures> &
  ReturnType<typeof mechanismFeatures> &
  ReturnType<typeof headlineFeatures> & { readonly similarity: number };

/**
 * `rank`: how many others are clearly more similar, at most 10. `…_ahead`: minus the best of the others. An equal is no
 * competitor: several records may be of one failure. `headline_behind`: `headline_ahead` where it is negative.
 */
function comparisons(own: readonly OwnFeatures[], rank: number) {
  const self = own[rank];
  const clearlyMore = (self?.similarity ?? 0) + EQUAL_SIMILARITY;
  const ahead = (of: (features: OwnFeatures) => number, equal = 0) => {
    if (self === undefined) return 0;
    const value = of(self);
    const others = own.map(of).filter((other) => Math.abs(other - value) > equal);
    return value - Math.max(0, ...others);
  };
  const headline_ahead = ahead(({ headline_words }) => headline_words);
  return {
    headline_ahead,
    headline_behind: Math.min(0, headline_ahead),
    rank: Math.min(own.filter((each) => each.similarity > clearlyMore).length, MAX_RANK),
    log_words_ahead: ahead(({ log_words }) => log_words),
    similarity_ahead: ahead(({ similarity }) => similarity, EQUAL_SIMILARITY),
  };
}

type Terms = ReadonlySet<string>;

function massOf(terms: Terms, rarity: Rarity): number {
  let mass = 0;
  for (const term of terms) mass += rarity(term);
  return mass;
}

function sharedMass(a: Terms, b: Terms, rarity: Rarity): number {
  let mass = 0;
  for (const term of a) if (b.has(term)) mass += rarity(term);
  return mass;
}

/** Cosine of two vectors with the rarity of each term as its value. */
function cosine(a: Terms, b: Terms, rarity: Rarity): number {
  const squared: Rarity = (term) => rarity(term) ** 2;
  const shared = sharedMass(a, b, squared);
  return shared === 0 ? 0 : shared / Math.sqrt(massOf(a, squared) * massOf(b, squared));
}

type Strengths = ReadonlyMap<string, number>;

function cosineOf(a: Strengths, b: Strengths, rarity: Rarity): number {
  let dot = 0;
  for (const [name, strength] of a) dot += strength * (b.get(name) ?? 0) * rarity(name) ** 2;
  const norm = (strengths: Strengths) =>
    Math.sqrt([...strengths].reduce((sum, [name, strength]) => sum + (strength * rarity(name)) ** 2, 0));
  return dot === 0 ? 0 : dot / (norm(a) * norm(b));
}
