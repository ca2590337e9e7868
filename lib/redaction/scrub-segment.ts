// Redaction of one segment. Applies the most certain rules first and the number rules last.

import { ANNOUNCEMENT_HINT } from "./personal/announcements.ts";
import { EMAIL } from "./personal/email-addresses.ts";
import { IBAN } from "./personal/iban.ts";
import { type HiddenAddresses, IP_RULES } from "./personal/ip-addresses.ts";
import { CARD } from "./personal/payment-cards.ts";
import { ANNOUNCED_PHONE, PHONE_RULES } from "./personal/phone-numbers.ts";
import { ANNOUNCED_SSN, SSN } from "./personal/social-security.ts";
import { applyRule, type Counts, lastLine, marker, type Rule } from "./rules/rule.ts";
import { ANNOUNCED_PASSWORDS } from "./secrets/announced-passwords.ts";
import { AUTH_COMMAND, COMMAND_LINES } from "./secrets/command-lines.ts";
import { replaceEncodedSecrets } from "./secrets/encoded-secrets.ts";
import { redactPairs, redactValuesBelow } from "./secrets/named-pairs.ts";
import { ENCRYPTED_PASSWORD, NAMED_SECRETS, URL_SECRETS } from "./secrets/named-secrets.ts";
import { FREE_KEYS, redactNearSecrets } from "./secrets/near-secrets.ts";
import { MYSQL_HASH, PASSWORD_FILES, PASSWORD_HASHES, REDIS_HASH } from "./secrets/password-hashes.ts";
import { TRAIT } from "./secrets/segment-keywords.ts";
import { DISCORD_TOKEN, TOKEN_FORMATS } from "./secrets/token-formats.ts";
import { redactVendorTokens } from "./secrets/vendor-formats.ts";

interface RuleSet {
  /** Applies to segments with at least one of these traits. */
  readonly traits: number;
  /** Traits that a segment must have. */
  readonly needed: number;
  /** Matches wherever a rule of the set can match. */
  readonly hint: RegExp;
  readonly rules: readonly { readonly hint: RegExp; readonly rule: Rule }[];
}

function personalData(hidden: HiddenAddresses): readonly RuleSet[] {
  return [
    ruleSet(TRAIT.at, [EMAIL]),
    ruleSet(TRAIT.colons | TRAIT.dottedDigit, IP_RULES[hidden]),
    // Account numbers have check digits, so they come before the phone numbers that a part of them may look like.
    ruleSet(TRAIT.manyDigits, [IBAN, CARD, SSN, ...PHONE_RULES]),
  ];
}

function ruleSet(traits: number, rules: readonly Rule[], { flags = "", needsAll = false } = {}): RuleSet {
  return {
    traits,
    needed: needsAll ? traits : 0,
    hint: new RegExp(hintOf(rules), flags),
    rules: rules.map((rule) => ({ rule, hint: new RegExp(rule.hint ?? "", flags) })),
  };
}

/** The hints of the rules in one pattern. A common digit stands in front, so that the pattern is tried only at digits. */
function hintOf(rules: readonly Rule[]): string {
  const hints = [...new Set(rules.map(({ hint }) => hint ?? ""))];
  if (hints.includes("")) return "";
  const afterDigit = hints.filter((hint) => DIGIT_FIRST.test(hint)).map((hint) => hint.slice(2));
  const others = hints.filter((hint) => !DIGIT_FIRST.test(hint));
  return [...(afterDigit.length > 0 ? [`\\d(?:${afterDigit.join("|")})`] : []), ...others].join("|");
}

const DIGIT_FIRST = /^\\d(?![{*+?])/;

/** A number that is not a part of a word, a time or an address. */
const FREE_NUMBER = /(?<![\w.:-])[+(]{0,2}\d[\d() \u00a0\u2009\u202f./\u2010-\u2013-]{4,24}(?![\w:])/;

/** A segment that is only a date and time, the most frequent number of a log. */
const TIMESTAMP =
  /^(?:[\w.]{1,16}=)?["'[(]?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?[\d.,]{0,10}(?:Z|[+-]\d\d:?\d\d)?)?[\])"',;:]{0,2}\s{0,64}$/;

const SECRETS: readonly RuleSet[] = [
  ruleSet(TRAIT.token | TRAIT.longRun, TOKEN_FORMATS, { needsAll: true }),
  ruleSet(TRAIT.mark, PASSWORD_HASHES),
  ruleSet(TRAIT.keyRun, [DISCORD_TOKEN, MYSQL_HASH, REDIS_HASH, ENCRYPTED_PASSWORD, ...FREE_KEYS]),
  ruleSet(TRAIT.url, URL_SECRETS, { flags: "i" }),
  ruleSet(TRAIT.named, NAMED_SECRETS, { flags: "i" }),
  ruleSet(TRAIT.command, COMMAND_LINES),
  ruleSet(TRAIT.auth, [AUTH_COMMAND]),
  ruleSet(TRAIT.colons, PASSWORD_FILES),
];

const SENTENCES: readonly RuleSet[] = [ruleSet(TRAIT.sentence, ANNOUNCED_PASSWORDS, { flags: "i" })];

const PERSONAL_DATA: Readonly<Record<HiddenAddresses, readonly RuleSet[]>> = {
  public: personalData("public"),
  public_and_private: personalData("public_and_private"),
};
/** For numbers after an announcing word. */
const ANNOUNCED: readonly RuleSet[] = [ruleSet(TRAIT.manyDigits, [ANNOUNCED_SSN, ANNOUNCED_PHONE])];

/** A marker is a new boundary in the text, so the rules run again until nothing changes. */
const MAX_PASSES = 4;
/** A marker of personal data where no boundary was. */
const NEW_BOUNDARY = /[^\s"',;()<>]\[REDACTED_|\[REDACTED_[A-Z]+\][^\s"',;()<>]/;

export interface SegmentPlace {
  readonly counts: Counts;
  /** The text before the segment: at least CONTEXT_LENGTH characters, or all there is. */
  readonly context: string;
  readonly hidden: HiddenAddresses;
}

/** Redacts a segment, and adds to the counts. Returns the same string when there is nothing to redact. */
export function scrubSegment(segment: string, traits: number, { counts, context, hidden }: SegmentPlace): string {
  if (traits === 0) return segment;
  const hasNumbers = (traits & TRAIT.manyDigits) !== 0 && !TIMESTAMP.test(segment);
  if (!hasNumbers) traits &= ~TRAIT.manyDigits;
  const isAnnounced = hasNumbers && FREE_NUMBER.test(segment) && ANNOUNCEMENT_HINT.test(lastLine(context) + segment);
  let text = segment;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = text;
    const withoutSecrets = redactSecrets(redactTokens(text, traits, counts), { traits, counts, context });
    text = applySets(PERSONAL_DATA[hidden], withoutSecrets, { traits, counts, context });
    if (isAnnounced) text = applySets(ANNOUNCED, text, { traits, counts, context });
    if (text === before || (withoutSecrets === before && !NEW_BOUNDARY.test(text))) break;
  }
  return text;
}

/** Headers come before pairs: `Authorization: Bearer x` is a pair, too. */
function redactSecrets(segment: string, { traits, counts, context }: Pass): string {
  let text = applySets(SECRETS, segment, { traits, counts, context });
  if ((traits & TRAIT.named) === 0) return text;
  text = redactPairs(text, (traits & TRAIT.vendor) !== 0, counts, context);
  if (text.indexOf("\n") < text.length - 1) text = redactValuesBelow(text, counts);
  text = applySets(SENTENCES, text, { traits, counts, context });
  return redactNearSecrets(text, counts, context);
}

interface Pass {
  readonly traits: number;
  readonly counts: Counts;
  readonly context?: string | undefined;
}

function applySets(sets: readonly RuleSet[], segment: string, { traits, counts, context }: Pass): string {
  let text = segment;
  for (const set of sets) {
    if ((traits & set.traits) === 0 || (traits & set.needed) !== set.needed || !set.hint.test(text)) continue;
    for (const { hint, rule } of set.rules) {
      if (hint.test(text)) text = applyRule(rule, text, counts, context);
    }
  }
  return text;
}

const ALL_TRAITS = Object.values(TRAIT).reduce((all, trait) => all | trait, 0);

/** Tokens of vendors, and base64 of a text that holds a secret. */
function redactTokens(segment: string, traits: number, counts: Counts): string {
  if ((traits & TRAIT.longRun) === 0) return segment;
  const text = (traits & TRAIT.token) === 0 ? segment : redactVendorTokens(segment, counts);
  if ((traits & TRAIT.encodedRun) === 0) return text;
  return replaceEncodedSecrets(text, holdsSecret, () => {
    counts.ENCODED_SECRET = (counts.ENCODED_SECRET ?? 0) + 1;
    return marker("ENCODED_SECRET");
  });
}

function holdsSecret(decoded: string): boolean {
  const isCredential = /^[\w.@-]{2,64}:[^\s:/]{4,128}$/.test(decoded) && !/^[\w.-]+:\d{1,5}$/.test(decoded);
  if (isCredential || decoded.includes("PRIVATE KEY-----")) return true;
  const text = redactVendorTokens(decoded, {});
  return text !== decoded || redactSecrets(decoded, { traits: ALL_TRAITS, counts: {} }) !== decoded;
}
