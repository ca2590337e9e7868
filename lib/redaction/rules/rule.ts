// Type of redaction rules.

export interface Rule {
  /** Name in the marker: `[REDACTED_{name}]`. */
  readonly name: string;
  /**
   * Global. Matches candidates; a group named `keep` at the start of the match stays in the text. Every pattern must
   * take linear time: each repetition is bounded or has only one possible start.
   */
  readonly pattern: RegExp;
  /** Source of the format. */
  readonly source: string;
  /** A cheap pattern that matches wherever `pattern` does. Without a match, the rule is skipped. */
  readonly hint?: string;
  /**
   * Returns how many leading characters of a candidate to replace; 0 for none. Default: all of them.
   * @param before up to CONTEXT_LENGTH characters before the candidate on its line
   * @param after the text after it that no space separates from it
   */
  readonly measure?: (candidate: string, before: string, after: string) => number;
}
