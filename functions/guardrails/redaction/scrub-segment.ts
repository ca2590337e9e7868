// Redaction of one segment. Applies the most certain rules first and the number rules last.

import { NAMED_SECRETS } from "./named-secrets.ts";
import { ANNOUNCEMENT_HINT } from "./personal/announcements.ts";
import { EMAIL } from "./personal/email-addresses.ts";
import { ANNOUNCED_RULES, IP_RULES, NUMBER_RULES } from "./personal/personal-data.ts";
import { applyRule, type Counts, lastLine, type Rule } from "./redaction-rule.ts";
import { TRAIT } from "./segmenter.ts";
import { TOKEN_FORMATS } from "./token-formats.ts";

interface RuleSet {
  /** Applies to segments with at least one of these traits. */
  readonly traits: number;
  /** Matches wherever a rule of the set can match. */
  readonly hint: RegExp;
  readonly rules: readonly { readonly hint: RegExp; readonly rule: Rule }[];
}

function ruleSet(traits: number, rules: readonly Rule[], { flags = "" } = {}): RuleSet {
  return {
    traits,
    hint: new RegExp(hintOf(rules), flags),
    rules: rules.map((rule) => ({ rule, hint: new RegExp(rule.hint ?? "", flags) })),
  };
}

/** The hints of the rules in one pattern. A common digit stands in front, so that the pattern is tried only at digits. */
function hintOf(rules: readonly Rule[]): string {
  const hints = [...new Set(rules.map(({ hint }) => hint ?? ""))];
  const afterDigit = hints.filter((hint) => DIGIT_FIRST.test(hint)).map((hint) => hint.slice(2));
  const others = hints.filter((hint) => !DIGIT_FIRST.test(hint));
  return [...(afterDigit.length > 0 ? [`\\d(?:${afterDigit.join("|")})`] : []), ...others].join("|");
}

const DIGIT_FIRST = /^\\d(?![{*+?])/;

/** A number that is not a part of a word, a time or an address. */
const FREE_NUMBER = /(?<![\w.:-])[+(]{0,2}[A-Z]{0,5}\d[\dA-D() \u00a0\u2009\u202f./\u2010-\u2013-]{4,24}(?![\w:])/;

/** A segment that is only a date and time, the most frequent number of a log. */
const TIMESTAMP =
  /^(?:[\w.]{1,16}=)?["'[(]?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?[\d.,]{0,10}(?:Z|[+-]\d\d:?\d\d)?)?[\])"',;:]{0,2}\s{0,64}$/;

const RULE_SETS: readonly RuleSet[] = [
  ruleSet(TRAIT.longRun, TOKEN_FORMATS),
  ruleSet(TRAIT.separator | TRAIT.announced, NAMED_SECRETS, { flags: "i" }),
  ruleSet(TRAIT.at, [EMAIL]),
  ruleSet(TRAIT.colons | TRAIT.dottedDigit, IP_RULES),
  ruleSet(TRAIT.manyDigits, NUMBER_RULES),
];
const ANNOUNCED = ruleSet(TRAIT.manyDigits, ANNOUNCED_RULES);

/** A marker is a new boundary in the text, so the rules run again until nothing changes. */
const MAX_PASSES = 4;

/**
 * Redacts a segment. Returns the same string when there is nothing to redact.
 * @param context the text before the segment: at least CONTEXT_LENGTH characters, or all there is
 */
export function scrubSegment(segment: string, traits: number, counts: Counts, context = ""): string {
  if (traits === 0) return segment;
  const hasNumbers = (traits & TRAIT.manyDigits) !== 0 && !TIMESTAMP.test(segment);
  if (!hasNumbers) traits &= ~TRAIT.manyDigits;
  const isAnnounced = hasNumbers && FREE_NUMBER.test(segment) && ANNOUNCEMENT_HINT.test(lastLine(context) + segment);
  const sets = isAnnounced ? [...RULE_SETS, ANNOUNCED] : RULE_SETS;
  let text = segment;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = text;
    for (const set of sets) {
      if ((traits & set.traits) === 0 || !set.hint.test(text)) continue;
      for (const { hint, rule } of set.rules) {
        if (hint.test(text)) text = applyRule(rule, text, counts, context);
      }
    }
    if (text === before) break;
  }
  return text;
}
