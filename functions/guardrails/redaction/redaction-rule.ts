// Type of redaction rules and their application. The rules are tables in their own files.

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
  /** Returns how many leading characters of a candidate to replace; 0 for none. Default: all of them. */
  readonly measure?: (candidate: string) => number;
}

export type Counts = Record<string, number>;

export function marker(name: string): string {
  return `[REDACTED_${name}]`;
}

/** Replaces the matches of a rule and adds to `counts`. Returns the same string when there is no match. */
export function applyRule(rule: Rule, text: string, counts: Counts): string {
  return text.replace(rule.pattern, (match: string, ...rest: readonly unknown[]) => {
    const kept = keptLength(rest.at(-1));
    const candidate = match.slice(kept);
    const length = rule.measure ? rule.measure(candidate) : candidate.length;
    if (length === 0) return match;
    counts[rule.name] = (counts[rule.name] ?? 0) + 1;
    return match.slice(0, kept) + marker(rule.name) + candidate.slice(length);
  });
}

/** `replace` passes the named groups as its last argument, or the whole text when the pattern has no groups. */
function keptLength(groups: unknown): number {
  if (typeof groups !== "object" || groups === null || !("keep" in groups)) return 0;
  return typeof groups.keep === "string" ? groups.keep.length : 0;
}
