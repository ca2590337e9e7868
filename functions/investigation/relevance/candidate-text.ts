// A recalled text as the relevance features read it: tokenized once. Pure functions.

import { rememberTexts } from "../../../lib/text/remembered-texts.ts";
import { tokenize, tokenizeWords } from "../../../lib/text/tokenize.ts";
import type { HybridHit } from "../../search-index/hybrid-search.ts";
import { keywordText, type SearchDocument, searchedBody } from "../../search-index/search-document.ts";
import { quotedMessages } from "./quoted-messages.ts";
import { isIdentifier, messageTerms, type ReportTerms, squash, sumOf, type TermWeights } from "./report-terms.ts";

/** A text that a search returned, with its hits, best first. */
export interface RelevanceCandidate {
  readonly title: string;
  /** The name of the text, such as a path; undefined without one. */
  readonly source?: string | undefined;
  readonly hits: readonly HybridHit[];
  /** The chunks that are read. */
  readonly texts: readonly SearchDocument[];
}

export interface CandidateText {
  readonly candidate: RelevanceCandidate;
  readonly terms: ReadonlySet<string>;
  /** Neighbouring terms, joined by a space. */
  readonly pairs: ReadonlySet<string>;
  /** Terms of title, headings and beginning. */
  readonly lead: ReadonlySet<string>;
  /** Terms of each sentence; the title and each heading are sentences. */
  readonly sentences: readonly ReadonlySet<string>[];
  readonly titleWords: readonly string[];
  /** Title, file name and headings without punctuation and case. */
  readonly names: readonly string[];
  /** Whether the title is one name made of several words. */
  readonly hasNameAsTitle: boolean;
  /** Terms, in order, of each error message that it quotes. */
  readonly messages: readonly (readonly string[])[];
  /** ln(1 + characters). */
  readonly length: number;
}

const LEAD_WORDS = 80;
/** Characters of a sentence that are read: a longer one is a table or a dump. */
const MAX_SENTENCE_LENGTH = 1_000;
const MIN_SENTENCE_TERMS = 2;

export function readCandidate(candidate: RelevanceCandidate, { termsOf }: ReportTerms): CandidateText {
  const { title, source, texts } = candidate;
  const terms = new Set<string>();
  const pairs = new Set<string>();
  for (const text of texts) {
    let previous: string | undefined;
    for (const term of termsOf(keywordText(text))) {
      terms.add(term);
      if (previous !== undefined) pairs.add(`${previous} ${term}`);
      previous = term;
    }
  }
  const headings = texts.flatMap(({ headingPath }) => headingPath);
  const read = texts.map((text) => ({ ...text, body: searchedBody(text) }));
  const beginning = read.find(({ chunkIndex }) => (chunkIndex ?? 0) === 0)?.body ?? "";
  const parts = [title, ...read.flatMap(({ headingPath, body }) => [headingPath.at(-1) ?? "", ...sentencesOf(body)])];
  const fileName =
    source
      ?.split("/")
      .at(-1)
      ?.replace(/\.\w+$/, "") ?? "";
  return {
    candidate,
    terms,
    pairs,
    lead: new Set(termsOf([title, ...headings, beginning.split(/\s+/, LEAD_WORDS).join(" ")].join("\n"))),
    sentences: parts
      .map((part) => termSetOf(part.slice(0, MAX_SENTENCE_LENGTH), termsOf))
      .filter(({ size }) => size >= MIN_SENTENCE_TERMS),
    titleWords: [...new Set(tokenizeWords(title))],
    // The title of a topic is its heading path.
    names: [...new Set([title, title.split(" › ").at(-1) ?? "", fileName, ...headings].map(squash))],
    hasNameAsTitle: isIdentifier(title.trim()),
    messages: read.flatMap(({ body }) => quotedMessages(body)).map((message) => messageTerms(termsOf(message))),
    length: Math.log(1 + read.reduce((sum, { body }) => sum + body.length, 0)),
  };
}

const sentencesOf = rememberTexts((text) => text.split(/(?<=[.!?:])\s+|\n+/));

const uncorrectedTerms = rememberTexts((text): ReadonlySet<string> => new Set(tokenize(text)));

function termSetOf(text: string, termsOf: ReportTerms["termsOf"]): ReadonlySet<string> {
  return termsOf === tokenize ? uncorrectedTerms(text) : new Set(termsOf(text));
}

/** How well one sentence says the same as the terms. */
export interface SentenceMatch {
  /** Harmonic mean of recall and precision of the best sentence, 0 to 1. */
  readonly f: number;
  /** The highest share of the terms' weight that one sentence holds, 0 to 1. */
  readonly recall: number;
}

/** A term that only the sentence holds weighs as much as the mean term of the report. */
export function bestSentence(weights: TermWeights, sentences: CandidateText["sentences"]): SentenceMatch {
  const total = sumOf(weights);
  const mean = weights.size === 0 ? 1 : total / weights.size;
  let f = 0;
  let recall = 0;
  for (const terms of sentences) {
    let matched = 0;
    let count = 0;
    for (const term of terms) {
      const weight = weights.get(term);
      if (weight === undefined) continue;
      matched += weight;
      count += 1;
    }
    if (count === 0) continue;
    const share = matched / total;
    const precision = matched / (matched + (terms.size - count) * mean);
    f = Math.max(f, (2 * share * precision) / (share + precision));
    recall = Math.max(recall, share);
  }
  return { f, recall };
}
