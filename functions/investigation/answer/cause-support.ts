// How well a model's cause is supported, and the outcome that follows. verify-draft.ts applies the rules to a finished draft,
// answer-stream.ts to a partial one. More citations and quotes never weaken a support, so a stated cause stays. Pure functions.

import type { Draft } from "../prompts/synthesise.ts";
import { roundShare } from "../relevance/relevance.ts";
import type { CauseText, Verifier } from "./verifier.ts";

/** `possible`: enough for a candidate that is not confirmed. */
export type Support = "cause" | "possible" | "none";

/**
 * Share of `POSSIBLE_THRESHOLD` that the source of a candidate needs if an error line is quoted: the model has read the source
 * and matched it to the line, while the probability only counts features.
 */
const QUOTED_SHARE = 0.5;
/** How far a critic, who reads the cited runbooks, may go beyond their probability. */
const CRITIC_TOLERANCE = 0.15;

/**
 * A cause needs a quote that shows the failure or a confirmed check, and a source that reaches the threshold; a candidate
 * needs one of them. A section about another failure than the one that was found in its text carries a candidate. A cause that a check refutes has no support.
 * @param cause undefined while its text is not complete
 */
export function supportOf(
  { cause, citations }: { readonly cause: string | undefined; readonly citations: readonly string[] },
  hasFailureQuote: boolean,
  verifier: Verifier,
): Support {
  const source = verifier.bestText(citations);
  if (source === undefined || !verifier.hasFailure) return "none";
  if (verifier.hasRefutation && (cause === undefined || verifier.refutationOf(cause))) return "none";
  const { POSSIBLE_THRESHOLD } = verifier;
  const showsFailure = hasFailureQuote || verifier.confirms(citations);
  if (source.probability >= POSSIBLE_THRESHOLD) {
    const mayState = verifier
      .causeTexts(citations)
      .some(({ mayStateCause, probability }) => mayStateCause && probability >= POSSIBLE_THRESHOLD);
    return showsFailure && mayState ? "cause" : "possible";
  }
  return showsFailure && source.probability >= POSSIBLE_THRESHOLD * QUOTED_SHARE ? "possible" : "none";
}

/** @param supports of the hypotheses that the model kept */
export function outcomeOf(claimed: Draft["outcome"], supports: readonly Support[]): Draft["outcome"] {
  switch (claimed) {
    case "cause":
      if (supports.includes("cause")) return "cause";
      return supports.includes("possible") ? "possible" : "unknown";
    case "possible":
      return supports.some((support) => support !== "none") ? "possible" : "unknown";
    case "unknown":
      return "unknown";
  }
}

/** Whether a kept hypothesis is part of the answer: as a cause, or as a candidate. */
export function isPartOf(outcome: Draft["outcome"], support: Support): boolean {
  if (outcome === "cause") return support === "cause";
  return outcome === "possible" && support !== "none";
}

/** The highest confidence that the sources of an answer allow: a past incident allows no more than its own probability. */
export function limitOf(sources: readonly CauseText[]): number | null {
  if (sources.length === 0) return null;
  const limits = sources.map(
    ({ probability, isPastIncident }) => probability + (isPastIncident ? 0 : CRITIC_TOLERANCE),
  );
  return Math.min(1, roundShare(Math.max(...limits)));
}

/**
 * The confidence of a model's answer: the critic's score, limited by the sources.
 * @param limit of the sources of the causes or candidates; without any, the probability of the nearest text
 */
export function confidenceOf(score: number, limit: number): number {
  return roundShare(Math.min(score, limit));
}
