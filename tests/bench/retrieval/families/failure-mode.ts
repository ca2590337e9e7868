// Owns the shape of a failure mode: what an incident family is made from, written by hand.

/**
 * Texts are templates: `{service}`, `{host}`, `{n}` and the like are filled in, the same value throughout one incident;
 * of `[this|that]` one is taken.
 */
export interface FailureMode {
  /** Unique in its domain. */
  readonly name: string;
  /** The seed runbook that knows the failure. */
  readonly runbook: string;
  /** How it is reported, one each: by alerts, in chats, vaguely where the log tells. */
  readonly reports: readonly [string, string, string, string, string];
  /** What logs say of it; lines apart by `\n`. */
  readonly logs: readonly [string, string, ...string[]];
  /** What fixed it, in the words of different people. */
  readonly fixes: readonly [string, string, ...string[]];
  /** Incidents that sound like it and have another cause. */
  readonly lookAlikes: readonly [LookAlike, LookAlike, ...LookAlike[]];
}

export interface LookAlike {
  readonly report: string;
  readonly log: string;
  readonly fix: string;
}
