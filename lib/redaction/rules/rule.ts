// A redaction rule and its application. The rules are tables in their own files.

export interface Rule {
  /** Name in the marker: `[REDACTED_{name}]`. */
  readonly name: string;
  /**
   * Global. Matches candidates; a group named `keep` at the start of the match stays in the text. Every pattern must
   * take linear time: each repetition is bounded or has only one possible start.
   */
  readonly pattern: RegExp;
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
  const { name, pattern, measure } = rule;
  let out = "";
  let copied = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = match.index + (match.groups?.keep?.length ?? 0);
    const end = match.index + match[0].length;
    const length = measure
      ? measure(text.slice(start, end), textBefore(text, start, context), text.slice(end, end + AFTER_LENGTH))
      : end - start;
    if (length === 0) continue;
    counts[name] = (counts[name] ?? 0) + 1;
    out += text.slice(copied, start) + marker(name);
    copied = start + length;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

/** Up to CONTEXT_LENGTH characters before `start` on its line, some of which may stand in `context`. */
export function textBefore(text: string, start: number, context: string): string {
  const own = text.slice(Math.max(0, start - CONTEXT_LENGTH), start);
  return lastLine(own.length < CONTEXT_LENGTH ? (context + own).slice(-CONTEXT_LENGTH) : own);
}

/** The text after the last line feed. */
export function lastLine(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
