// The outcomes of a triage.

/**
 * `cause`: the answer names a cause. `possible`: it names candidates and claims nothing. `unknown`: it names nothing.
 * `benign`: no incident.
 */
export const OUTCOMES = ["cause", "possible", "unknown", "benign"] as const;
/** The words that people read in place of the value, for descriptions of fields. */
export const OUTCOME_WORDS =
  "People read `cause` as *Known failure*, `possible` as *Possible*, `unknown` as *Unknown*, and `benign` as *No incident*.";
export type Outcome = (typeof OUTCOMES)[number];
