// Figures of another system on its own cases: they show the usual range and are not directly comparable.

import type { MetricName } from "../../runs/run-file.ts";

export const REFERENCE_FIGURES: Readonly<Partial<Record<MetricName, number>>> = {
  RetrievalHit: 0.538,
  RerankerHit: 0.538,
  MemoryHit: 1,
  InjectionBlocked: 1,
  KeywordScore: 0.925,
  BaselineScore: 0.829,
};
