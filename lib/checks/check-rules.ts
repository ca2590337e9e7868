// The rule lines of a check: `confirms: <condition>: <meaning>`, `refutes: …`, `else: <words>`.

import type { RuleLine } from "../markdown/check-blocks.ts";
import type { CheckLanguage, CheckRule } from "./check.ts";
import { mayHold, misfit, readCondition } from "./condition.ts";

interface RuleProblem {
  readonly line: number;
  readonly message: string;
}

export interface Rules {
  readonly confirms: CheckRule | null;
  readonly refutes: CheckRule | null;
  readonly otherwise: string | null;
  readonly problems: readonly RuleProblem[];
  /** Problems with which a check loads. */
  readonly warnings: readonly RuleProblem[];
}

interface Position {
  /** Line of the fence, from 1. */
  readonly line: number;
  /** Line of the section's first line, from 1. */
  readonly firstLine: number;
  /** Null for a language that does not exist. */
  readonly language: CheckLanguage | null;
}

const KEYWORDS = ["confirms", "refutes", "else"] as const;
type Keyword = (typeof KEYWORDS)[number];

/** The keyword that is meant by another. */
const MEANT: Readonly<Record<string, Keyword>> = {
  ...{ confirm: "confirms", confirmed: "confirms", refute: "refutes", refuted: "refutes" },
  ...{ otherwise: "else", inconclusive: "else" },
};
export const MAX_MEANING_LENGTH = 500;
const INCONCLUSIVE = /^inconclusive\b[\s.:;,–—-]{0,10}/i;

/** Reads the rules of one check. */
export function readRules(lines: readonly RuleLine[], { line, firstLine, language }: Position): Rules {
  const rules = new Map<Keyword, CheckRule | string | null>();
  const problems: RuleProblem[] = [];
  const warnings: RuleProblem[] = [];
  for (const { index, keyword: written, text } of lines) {
    const report = (message: string) => problems.push({ line: firstLine + index, message });
    const keyword = isKeyword(written) ? written : undefined;
    if (keyword === undefined) report(correctionOf(written));
    else if (text === null) report(`put a colon after "${keyword}": ${formOf(keyword)}.`);
    else if (rules.has(keyword)) report(`the check has "${keyword}" twice: a second check may have another query.`);
    else if (keyword === "else") rules.set(keyword, plain(text).replace(INCONCLUSIVE, "").trim() || null);
    else {
      const rule = readRule(text, keyword, language);
      if (typeof rule === "string") report(rule);
      // A rule with a problem counts as written, so that one mistake is reported once.
      rules.set(keyword, typeof rule === "string" ? null : rule.rule);
      if (typeof rule !== "string" && rule.warning !== null)
        warnings.push({ line: firstLine + index, message: rule.warning });
    }
  }
  const [confirms, refutes] = [rules.get("confirms"), rules.get("refutes")];
  const isMeant = lines.some(
    ({ keyword }) => /^(?:confirm|refute)/.test(keyword) || !(Object.hasOwn(MEANT, keyword) || isKeyword(keyword)),
  );
  if (!isMeant)
    problems.push({ line, message: `the check has no rule: add a line "- ${formOf("confirms")}" below it.` });
  const otherwise = rules.get("else");
  return {
    confirms: typeof confirms === "object" ? confirms : null,
    refutes: typeof refutes === "object" ? refutes : null,
    otherwise: typeof otherwise === "string" ? otherwise : null,
    problems,
    warnings,
  };
}

function readRule(
  text: string,
  keyword: Keyword,
  language: CheckLanguage | null,
): { readonly rule: CheckRule; readonly warning: string | null } | string {
  // The condition may stand in a code span.
  const code = /^`([^`]{1,500})`/.exec(text);
  const read = readCondition(code ? (code[1] ?? "") : text);
  if (!read.ok) return read.message;
  const rest = (code ? (read.rest === "" ? text.slice(code[0].length) : null) : read.rest)?.trimStart();
  if (rest === undefined) return `the condition ends after "${read.text}": remove the rest of the code span.`;
  const meaning = plain(rest.replace(/^:/, ""));
  if (!rest.startsWith(":") || meaning === "")
    return `say after "${read.text}" and a colon what it means: ${formOf(keyword)}.`;
  if (meaning.length > MAX_MEANING_LENGTH) return `the meaning has more than ${MAX_MEANING_LENGTH} characters.`;
  const mismatch = language === null ? null : misfit(read.condition, language);
  if (mismatch !== null) return mismatch;
  const warning = mayHold(read.condition)
    ? null
    : `"${read.text}" never holds: an empty result is inconclusive. Compare a number that the query returns in every case.`;
  return { rule: { condition: read.text, meaning }, warning };
}

function isKeyword(word: string): word is Keyword {
  return KEYWORDS.some((each) => each === word);
}

function correctionOf(written: string): string {
  const meant = Object.hasOwn(MEANT, written) ? MEANT[written] : undefined;
  return meant === undefined
    ? `"${written}" is no rule: write "confirms:", "refutes:" or "else:".`
    : `write "${meant}:" in place of "${written}:".`;
}

function formOf(keyword: Keyword): string {
  return keyword === "else" ? "else: <words>" : `${keyword}: <condition>: <meaning>`;
}

/** Without emphasis. */
function plain(text: string): string {
  return text.replaceAll("**", "").trim();
}
