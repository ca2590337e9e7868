// An answer before it becomes a result, whoever wrote it.

import type { Answer, TriageResult } from "../../schemas/triage-result.ts";

export interface FinalAnswer {
  readonly mode: TriageResult["mode"];
  readonly outcome: TriageResult["outcome"];
  /** The grounding of what the answer rests on, a model's answer's the critic's score; 0 to 1. */
  readonly confidence: number;
  readonly answer: Answer;
  /** What of a model's draft was made up or must not leave. */
  readonly removed: RemovedCounts;
  readonly critique: TriageResult["critique"];
}

export interface RemovedCounts {
  readonly citations: number;
  readonly links: number;
  readonly statements: number;
}
