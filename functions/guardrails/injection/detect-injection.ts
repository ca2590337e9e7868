// Detection and removal of prompt injections in questions, alerts and logs. A question with an injection is refused. In
// alert text only the line is removed: an attacker's log line must not stop the triage of an incident.

import type { InjectionCategory } from "../../schemas/injection-category.ts";
import { foldCharacters } from "./fold-text.ts";
import { INJECTION_PATTERNS } from "./injection-patterns.ts";

export interface Injection {
  readonly category: InjectionCategory;
  /** The matched words in their folded form, without invisible characters. */
  readonly matched: string;
}

export interface Neutralised {
  readonly text: string;
  /** Lines removed, by category. */
  readonly counts: Partial<Record<InjectionCategory, number>>;
}

export const REMOVED_LINE = "[line removed: looks like an instruction to the model]";

/** Returns the first injection of a text, or null. Line breaks count as spaces. Linear. */
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
 * Replaces each line with an injection, and each pair of lines with an injection across the line break. All other lines
 * stay byte for byte, line ends included.
 */
export function neutraliseInjections(text: string): Neutralised {
  // The capturing group keeps the line ends, at the odd indexes.
  const parts = text.split(LINE_END);
  const counts: Partial<Record<InjectionCategory, number>> = {};
  const count = (category: InjectionCategory) => {
    counts[category] = (counts[category] ?? 0) + 1;
  };
  const removed = new Set<number>();
  for (let i = 0; i < parts.length; i += 2) {
    const injection = checkLine(parts[i]);
    if (!injection) continue;
    removed.add(i);
    count(injection.category);
  }
  for (let i = 2; i < parts.length; i += 2) {
    if (removed.has(i) || removed.has(i - 2)) continue;
    const [above, below] = [parts[i - 2] ?? "", parts[i] ?? ""];
    // Only phrases across the line break are left to find: each line was checked alone.
    const injection = checkLine(`${above.slice(-MAX_WRAPPED)}\n${below.slice(0, MAX_WRAPPED)}`);
    if (!injection) continue;
    removed.add(i - 2).add(i);
    count(injection.category);
  }
  if (removed.size === 0) return { text, counts };
  return { text: parts.map((part, i) => (removed.has(i) ? REMOVED_LINE : part)).join(""), counts };
}

const LINE_END = /(\r\n|[\n\r\u0085\u2028\u2029])/;
/** Characters on each side of a line break that are checked for a phrase across it. */
const MAX_WRAPPED = 120;

/** Quick check: every pattern needs one of these words or signs, or a spelling that folding changes. */
const QUICK_CHECK =
  /instruc|anweis|regeln|istruz|consign|prompt|directive|guideline|guardrail|ignor|disregard|forget|discard|dismiss|neglect|bypass|skip|attention|follow|obey|listen|stop|vergiss|oubli|olvid|esque|\b(?:real|true|actual|only)\b|overrid|mode\b|\byou|filter|safety|moral|\bai\b|llms?\b|language|chatbot|assistant|gpt|claude|triage|pretend|imagine|behave|role-?play|simulate|suppose|\bact\b|respond|answer|reply|speak|persona|character|identity|alter|<\||<start_|<end_|inst\]|sys>|<｜|_prompt\]|_tools\]|<\/?(?:system|user|untrusted|human)|##|---|===|\*{3}|human ?:|system ?:|"role"|always|never|\bdo\b|above|before this|preceding|prior to|you are|rules|conversation|history|secrets|credentials|api keys?|DAN\b|anything|jailb|without|\bfree\b|censor|unrestricted|unfiltered|amoral|refuse|decline|evil|\bdude\b|\bstan\b|[a-z][*~`_]{1,3}[a-z]|[^ -~\t]/i;

function checkLine(line: string | undefined): Injection | null {
  return line === undefined || line.length < MIN_LENGTH || !QUICK_CHECK.test(line) ? null : detectInjection(line);
}

/** Characters of the shortest injection: "[INST]". */
const MIN_LENGTH = 6;

/** Whether `neutraliseInjections` would remove a line of the text. */
export function readsAsInstruction(text: string): boolean {
  return Object.keys(neutraliseInjections(text).counts).length > 0;
}
