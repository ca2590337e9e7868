// Type of a failure mode: a hand-written template of an incident family.

/**
 * All texts are templates. `{service}`, `{host}`, `{n}` and other slots get one value for a whole incident; `[this|that]`
 * is replaced by one of its alternatives.
 */
export interface FailureMode {
  /** Unique in its domain. */
  readonly name: string;
  /** The seed runbook for this failure. */
  readonly runbook: string;
  /** One report for each member: alerts, chat messages, and vague reports whose log shows the cause. */
  readonly reports: readonly [string, string, string, string, string];
  /** Log excerpts; lines are separated by `\n`. */
  readonly logs: readonly [string, string, ...string[]];
  /** The fix in the words of different people. */
  readonly fixes: readonly [string, string, ...string[]];
  /** Incidents with similar words and another cause. */
  readonly lookAlikes: readonly [LookAlike, LookAlike, ...LookAlike[]];
}

export interface LookAlike {
  readonly report: string;
  readonly log: string;
  readonly fix: string;
}
