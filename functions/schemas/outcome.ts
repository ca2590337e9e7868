// The outcomes of a triage.

/**
 * `cause`: the answer names a cause. `possible`: it names candidates and claims nothing. `unknown`: it names nothing.
 * `benign`: no incident.
 */
export const OUTCOMES = ["cause", "possible", "unknown", "benign"] as const;
export type Outcome = (typeof OUTCOMES)[number];
