// Kinds of traffic: evaluation is kept apart in traces and metrics.

/** Evaluation: somebody measures Dejavu; its triages are kept apart in traces and metrics. */
export const TRAFFIC = ["production", "evaluation"] as const;

export type Traffic = (typeof TRAFFIC)[number];
