// Reference figures of another system, measured on its own cases (docs/guides/evaluation.md).

import type { MetricName } from "../../runs/run-file.ts";

export const REFERENCE_FIGURES: Readonly<Partial<Record<MetricName, number>>> = {
  RetrievalHit: 0.538,
  RerankerHit: 0.538,
  MemoryHit: 1,
  InjectionBlocked: 1,
  KeywordScore: 0.925,
  BaselineScore: 0.829,
};
