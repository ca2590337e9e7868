// Owns what a redaction rule is and how one is applied. The rules themselves are tables in their own files.

export interface Rule {
  /** What the marker says: `[REDACTED_{name}]`. */
  readonly name: string;
  /**
   * Global. Finds candidates; a group called `keep` at the very start of the match stays in the text. No pattern may
   * take more than linear time: every repetition is bounded, or can be entered in one place only.
   */
  readonly pattern: RegExp;
  /** Where the format comes from. */
  readonly source: string;
  /** A pattern without which `pattern` cannot match; cheap, and the reason why most text is read only once. */
  readonly hint?: string;
  /** How many leading characters of a candidate are to go; 0 when it is none. Without it, all of them. */
  readonly measure?: (candidate: string) => number;
}

export type Counts = Record<string, number>;

export function marker(name: string): string {
  return `[REDACTED_${name}]`;
}

/** Replaces what a rule finds and adds to `counts`; the same string when it finds nothing. */
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

/** `replace` hands the named groups over as its last argument, and the whole text where there are none. */
function keptLength(groups: unknown): number {
  if (typeof groups !== "object" || groups === null || !("keep" in groups)) return 0;
  return typeof groups.keep === "string" ? groups.keep.length : 0;
}
