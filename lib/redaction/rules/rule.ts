// A redaction rule and its application. The rules are tables in their own files.

export interface Rule {
  /** Name in the marker: `[REDACTED_{name}]`. */
  readonly name: string;
  /**
   * Global. Matches candidates; a group named `keep` at the start of the match stays in the text. Every pattern must
   * take linear time: each repetition is bounded or has only one possible start.
   */
  readonly pattern: RegExp;
  /** Source of the format, where no comment names it. */
  readonly source?: string;
  /** A cheap pattern that matches wherever `pattern` does. Without a match, the rule is skipped. */
  readonly hint?: string;
  /**
   * Returns how many leading characters of a candidate to replace; 0 for none. Default: all of them.
   * @param before up to CONTEXT_LENGTH characters before the candidate on its line
   * @param after the text after it that no space separates from it
   */
  readonly measure?: (candidate: string, before: string, after: string) => number;
}

export type Counts = Record<string, number>;

export function marker(name: string): string {
  return `[REDACTED_${name}]`;
}

/** Characters before a candidate that a rule may read, such as the word that announces it. */
export const CONTEXT_LENGTH = 80;
/** Characters after a candidate that a rule may read: a port, a prefix length, a path. */
const AFTER_LENGTH = 16;

/**
 * Replaces the matches of a rule and adds to `counts`. Returns the same string when there is no match.
 * @param context the text before `text`; only its last line counts
 */
export function applyRule(rule: Rule, text: string, counts: Counts, context = ""): string {
  const { measure } = rule;
  // `replace` with a function is slow even when nothing matches.
  rule.pattern.lastIndex = 0;
  if (!rule.pattern.test(text)) return text;
  return text.replace(rule.pattern, (match: string, ...rest: readonly unknown[]) => {
    const kept = keptLength(rest.at(-1));
    const candidate = match.slice(kept);
    let { length } = candidate;
    if (measure) {
      const start = rest.find((argument) => typeof argument === "number") ?? 0;
      const end = start + match.length;
      const own = text.slice(Math.max(0, start + kept - CONTEXT_LENGTH), start + kept);
      const before = lastLine(own.length < CONTEXT_LENGTH ? (context + own).slice(-CONTEXT_LENGTH) : own);
      length = measure(candidate, before, text.slice(end, end + AFTER_LENGTH));
    }
    if (length === 0) return match;
    counts[rule.name] = (counts[rule.name] ?? 0) + 1;
    return match.slice(0, kept) + marker(rule.name) + candidate.slice(length);
  });
}

/** The text after the last line feed. */
export function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}

/** `replace` passes the named groups as its last argument, or the whole text when the pattern has no groups. */
function keptLength(groups: unknown): number {
  if (typeof groups !== "object" || groups === null || !("keep" in groups)) return 0;
  return typeof groups.keep === "string" ? groups.keep.length : 0;
}
