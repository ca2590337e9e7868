// An answer before it becomes a triage result: written by a model or extractive.

import type { Answer } from "../../schemas/answer.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";

export interface FinalAnswer {
  readonly mode: TriageResult["mode"];
  readonly outcome: TriageResult["outcome"];
  /** 0 to 1. With a model, the critique's score, limited by the sources; without, the probability of the text that the answer rests on. */
  readonly confidence: number;
  readonly answer: Answer;
  /** Parts of a model's draft that verification removed. */
  readonly removed: RemovedCounts;
  readonly critique: TriageResult["critique"];
}

export interface RemovedCounts {
  readonly citations: number;
  readonly links: number;
  readonly statements: number;
}

/** Fields that are the same in every extractive answer. */
export const EXTRACTIVE = {
  mode: "extractive",
  removed: { citations: 0, links: 0, statements: 0 },
  critique: null,
} as const satisfies Partial<FinalAnswer>;

/** The summary and the likely causes as plain text, for memory and for the row of the run. */
export function plainAnswer({ answer }: Pick<FinalAnswer, "answer">): string {
  const causes = answer.likely_causes.map((cause) => `- ${cause.text}`);
  return [answer.summary.text, ...(causes.length > 0 ? ["Likely causes:", ...causes] : [])].join("\n");
}
