// The weighted terms of a report that recalled texts are compared with. Pure functions.

import { withoutLogPrefix } from "../../../lib/logs/log-prefix.ts";
import { withoutUniqueParts } from "../../../lib/logs/log-time.ts";
import { messageOf } from "../../../lib/logs/message-of.ts";
import { weightTerms } from "../../../lib/ranking/bm25.ts";
import { corrected } from "../../../lib/ranking/rank-hits.ts";
import { withoutMarkers } from "../../../lib/redaction/redaction-marker.ts";
import { tokenize, tokenizeWords } from "../../../lib/text/tokenize.ts";
import { type Incident, searchText } from "../../schemas/incident.ts";
import type { HybridResult } from "../../search-index/hybrid-search.ts";

/** Weight of each term: idf × (1 + ln n), where n is its number of occurrences. */
export type TermWeights = ReadonlyMap<string, number>;

export interface WeightedLine {
  readonly text: string;
  /** Importance, 0 to 1. */
  readonly weight: number;
  readonly terms: TermWeights;
  /** Its terms in order, without numbers. */
  readonly sequence: readonly string[];
}

export interface ReportTerms {
  readonly text: string;
  /** Headline without its terms' weights, in order. */
  readonly sequence: readonly string[];
  readonly headline: TermWeights;
  /** The heaviest terms of the headline. */
  readonly heaviest: TermWeights;
  /** Most important first. */
  readonly lines: readonly WeightedLine[];
  /** Headline and lines; a line's terms weigh less in a less important line. */
  readonly all: TermWeights;
  /** Words of headline and lines, without whole identifiers. */
  readonly words: ReadonlySet<string>;
  /** The alert's name without punctuation and case; undefined if the report has none. */
  readonly alertName: string | undefined;
  readonly statistics: HybridResult["terms"];
  termsOf(text: string): readonly string[];
  /** The same report without its lines. */
  withoutLines(): ReportTerms;
}

/** A word that the collection does not hold is a service's name about as often as it is the key term. */
const UNKNOWN_TERM_SHARE = 0.6;
const HEAVIEST_TERMS = 6;
const MAX_MESSAGE_TERMS = 60;
/** A name apart from the sentence: `KubePodCrashLooping: …`, `[FIRING:1] disk_space_usage (…)`, or nothing but the name. */
const NAME_OF_TITLE = /^(?:\[[^\]]{0,40}\]\s*)?([A-Za-z]\w*)(?=\s*(?:[:|(]|[-–—]\s|$))/;

export function createReportTerms(
  incident: Incident,
  collection: Pick<HybridResult, "terms" | "corrections">,
): ReportTerms {
  const { terms: statistics, corrections } = collection;
  const text = searchText(incident);
  // Called for each sentence of each text.
  const termsOf =
    Object.keys(corrections).length === 0 ? tokenize : (part: string) => corrected(tokenize(part), corrections);
  const sequence = termsOf(text);
  const headline = weigh(sequence, statistics);
  const lines = incident.evidence.lines.map(({ text: line, weight }) => {
    const terms = termsOf(withoutUniqueParts(withoutLogPrefix(messageOf(line))));
    return { text: line, weight, terms: weigh(terms, statistics), sequence: messageTerms(terms) };
  });
  const all = new Map(headline);
  for (const { terms, weight } of lines)
    for (const [term, value] of terms) all.set(term, Math.max(all.get(term) ?? 0, value * weight));
  return {
    text,
    sequence,
    headline,
    heaviest: new Map([...headline].sort((a, b) => b[1] - a[1]).slice(0, HEAVIEST_TERMS)),
    lines,
    all,
    words: new Set([text, ...lines.map((line) => line.text)].flatMap(tokenizeWords)),
    alertName: alertNameOf(incident),
    statistics,
    termsOf,
    withoutLines: () => createReportTerms({ ...incident, evidence: { ...incident.evidence, lines: [] } }, collection),
  };
}

/** The terms of a message, in order: numbers differ from report to report. */
export function messageTerms(terms: readonly string[]): readonly string[] {
  return terms.filter((term) => !/^\d/.test(term)).slice(0, MAX_MESSAGE_TERMS);
}

function weigh(terms: readonly string[], statistics: HybridResult["terms"]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [term, count] of weightTerms(terms)) {
    const entry = Object.hasOwn(statistics, term) ? statistics[term] : undefined;
    // The parts of an unknown compound are terms of their own.
    if (entry?.df === 0 && /[^\p{L}\p{N}]/u.test(term)) continue;
    const idf = entry === undefined ? 1 : entry.df === 0 ? entry.idf * UNKNOWN_TERM_SHARE : entry.idf;
    weights.set(term, idf * count);
  }
  return weights;
}

function alertNameOf({ labels, title }: Incident): string | undefined {
  const leading = NAME_OF_TITLE.exec(withoutMarkers(title))?.[1];
  const name = labels.alertname ?? (leading !== undefined && isIdentifier(leading) ? leading : undefined);
  return name === undefined ? undefined : squash(name);
}

/** Whether a text is one name made of several words: `KubePodCrashLooping`, `disk_space_usage`. */
export function isIdentifier(text: string): boolean {
  return !/\s/.test(text) && /\p{Ll}\p{Lu}|_/u.test(text);
}

/** Letters and digits in lower case: `Disk_space usage` and `diskSpaceUsage` are equal. */
export function squash(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

export function sumOf(weights: TermWeights): number {
  let sum = 0;
  for (const weight of weights.values()) sum += weight;
  return sum;
}

/** The share of the weight whose terms the set holds, 0 to 1. */
export function coverage(weights: TermWeights, terms: { has(term: string): boolean }): number {
  let total = 0;
  let covered = 0;
  for (const [term, weight] of weights) {
    total += weight;
    if (terms.has(term)) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}
