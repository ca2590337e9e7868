// Owns the defence against instructions hidden in questions, alerts and logs. A question that holds one is refused;
// in alert text only the line goes, since an attacker's log line must not stop the triage of an incident.

import { foldCharacters } from "./fold-text.ts";
import { INJECTION_PATTERNS, type InjectionCategory } from "./injection-patterns.ts";

export { INJECTION_CATEGORIES, type InjectionCategory } from "./injection-patterns.ts";

export interface Injection {
  readonly category: InjectionCategory;
  /** The words that gave it away, as they were searched: folded, without invisible characters. */
  readonly matched: string;
}

export interface Neutralised {
  readonly text: string;
  /** Lines removed, by category. */
  readonly counts: Partial<Record<InjectionCategory, number>>;
}

export const REMOVED_LINE = "[line removed: looks like an instruction to the model]";

/** The first injection that a text holds, line breaks counting as blanks; null when it holds none. Linear. */
export function detectInjection(text: string): Injection | null {
  const folded = foldCharacters(text);
  const lower = folded.toLowerCase();
  for (const { category, pattern, caseSensitive } of INJECTION_PATTERNS) {
    const matched = pattern.exec(caseSensitive ? folded : lower)?.[0];
    if (matched !== undefined) return { category, matched: matched.trim() };
  }
  return null;
}

/**
 * Replaces each line that holds an injection, or two lines that hold one together; all others stay byte for byte,
 * line ends included.
 */
export function neutraliseInjections(text: string): Neutralised {
  // Splitting with a group keeps the line ends, at the odd places.
  const parts = text.split(LINE_END);
  const counts: Partial<Record<InjectionCategory, number>> = {};
  const count = (category: InjectionCategory) => {
    counts[category] = (counts[category] ?? 0) + 1;
  };
  const removed = new Set<number>();
  for (let i = 0; i < parts.length; i += 2) {
    const found = suspect(parts[i]);
    if (!found) continue;
    removed.add(i);
    count(found.category);
  }
  for (let i = 2; i < parts.length; i += 2) {
    if (removed.has(i) || removed.has(i - 2)) continue;
    const [above, below] = [parts[i - 2] ?? "", parts[i] ?? ""];
    // Only what crosses the line break is looked at: each line alone has been.
    const found = suspect(`${above.slice(-WRAPPED)}\n${below.slice(0, WRAPPED)}`);
    if (!found) continue;
    removed.add(i - 2).add(i);
    count(found.category);
  }
  if (removed.size === 0) return { text, counts };
  return { text: parts.map((part, i) => (removed.has(i) ? REMOVED_LINE : part)).join(""), counts };
}

const LINE_END = /(\r\n|[\n\r\u0085\u2028\u2029])/;
/** Characters on either side of a line break that a phrase across it may take. */
const WRAPPED = 120;

/** A word or sign that each pattern cannot do without, also where folding would undo its spelling. */
const TELLING =
  /instruc|anweis|regeln|istruz|consign|prompt|directive|guideline|guardrail|ignor|disregard|forget|discard|dismiss|neglect|bypass|skip|attention|follow|obey|listen|stop|vergiss|oubli|olvid|esque|\b(?:real|true|actual|only)\b|overrid|mode\b|\byou|filter|safety|moral|\bai\b|llms?\b|language|chatbot|assistant|gpt|claude|triage|pretend|imagine|behave|role-?play|simulate|suppose|\bact\b|respond|answer|reply|speak|persona|character|identity|alter|<\||<start_|<end_|inst\]|sys>|<｜|_prompt\]|_tools\]|<\/?(?:system|user|untrusted|human)|##|---|===|\*{3}|human ?:|system ?:|"role"|always|never|\bdo\b|above|before this|preceding|prior to|you are|rules|conversation|history|secrets|credentials|api keys?|DAN\b|anything|jailb|without|\bfree\b|censor|unrestricted|unfiltered|amoral|refuse|decline|evil|\bdude\b|\bstan\b|[a-z][*~`_]{1,3}[a-z]|[^ -~\t]/i;

function suspect(line: string | undefined): Injection | null {
  return line === undefined || line.length < SHORTEST || !TELLING.test(line) ? null : detectInjection(line);
}

/** Characters: "[INST]" is the shortest of them all. */
const SHORTEST = 6;

export function readsAsInstruction(text: string): boolean {
  return Object.keys(neutraliseInjections(text).counts).length > 0;
}
