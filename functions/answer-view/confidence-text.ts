// What a confidence means, in plain words that all renderings share. Pure functions.

import { isSessionRecap } from "../schemas/source-kind.ts";
import type { TriageResult } from "../schemas/triage-result.ts";

/** The prompt of the critique defines 0.5 as "as good as a guess". */
export const MIN_LIKELY_CONFIDENCE = 0.5;

/** Describes a confidence of 0 to 1. */
export function certaintyOf(confidence: number): "very sure" | "fairly sure" | "rather sure" | "not sure" {
  if (confidence >= 0.85) return "very sure";
  if (confidence >= 0.65) return "fairly sure";
  return confidence >= MIN_LIKELY_CONFIDENCE ? "rather sure" : "not sure";
}

/** One phrase on what to make of the outcome. */
export function outcomeMeaning(
  result: Pick<TriageResult, "outcome" | "confidence" | "mode" | "sources" | "guardrails" | "recalled" | "answer">,
): string {
  const { outcome, confidence, mode, sources, guardrails, recalled, answer } = result;
  if (guardrails.injection_blocked !== null) return "this reads like an instruction to a model";
  if (isSessionRecap({ sources })) return "quotes past answers, claims nothing new";
  switch (outcome) {
    case "cause":
      if (confidence < MIN_LIKELY_CONFIDENCE) return "not sure; confirm before you act";
      return mode === "extractive"
        ? `${certaintyOf(confidence)} that the quoted text is about this failure`
        : `${certaintyOf(confidence)} of this answer, as a critic scored it`;
    case "possible":
      return "candidates to check; no cause is claimed";
    case "unknown":
      if (answer.ruled_out.length > 0) return "checks rule out what matches the report";
      return recalled.runbooks.length + recalled.incidents.length === 0
        ? "nothing similar is on record"
        : "nothing on record is likely to be about this";
    case "benign":
      return "no action needed";
  }
}
