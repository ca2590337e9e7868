// Kinds of traffic.

/** `evaluation`: triages that measure Dejavu, which traces and metrics keep apart. */
export const TRAFFIC = ["production", "evaluation"] as const;

export type Traffic = (typeof TRAFFIC)[number];
