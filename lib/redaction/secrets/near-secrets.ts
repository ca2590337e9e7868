// Redaction rules for values that only a generator writes, by the words before them: no sign binds them to a name.

import { type Counts, marker, type Rule, textBefore } from "../rules/rule.ts";
import { measureMixed, measureRandom } from "./secret-values.ts";

const WORDS =
  "passw(?:or)?d|passphrase|passcode|pwd|pw|secret|token|psk|auth|credentials?|creds|login|(?:api|access|admin|aes|app|auth|azure|bot|client|deploy|digest|encryption|fernet|hmac|ingest|integration|isakmp|jwt|licen[cs]e|master|openai|private|recovery|root|secret|service|shared|signing|storage|subscription|unseal|webhook)[ _-]?key";
/** A marker is no name: redacting a text twice changes nothing. */
const START = "(?<![A-Za-z]|REDACTED_[A-Z_]{0,40})";
const ANNOUNCED = new RegExp(`${START}(?:${WORDS})s?(?![\\w-])[^\\n]{1,40}$`, "i");
const ADJACENT = new RegExp(`${START}(?:${WORDS})s?["'\`]?[\\s:=<("'\`[]{1,4}$`, "i");
/** A function or a class: `HTTPBasicAuth('user', `. */
const CALL = /[A-Za-z](?:Auth|Credentials?|Token|Secret|Password)\([^\n]{0,40}$/;
/** Characters in which the name of a public id stands. */
const MAX_IDENTIFIER_LENGTH = 32;
/** What stands before a public id. */
const IDENTIFIER =
  /(?:kid|ids?|hash|digest|sha-?\d{0,3}|md5|fingerprint|nonce|checksum|etag|version|trace|span|request|commit|serial|uid|user|name|thumbprint|status|code|checksum\/[\w.-]{1,40})["']?[\s:=#(-]{1,4}$/i;
const RESOURCE_NAME = /arn:aws\S{0,80}$/;

/** Characters of a value, and those that do not begin one; digits, and what no value begins behind. */
const [VALUE, NO_START, DIGIT, JOINED, LOWER, UPPER] = [1, 2, 4, 8, 16, 32];
const KINDS = kindTable();
/** Characters of the shortest value, and those before its first digit. */
const MIN_LENGTH = 10;
const MIN_RANDOM_LENGTH = 16;
const MAX_DIGIT_AT = 80;

function kindTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  const mark = (characters: string, kind: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  mark("ABCDEFGHIJKLMNOPQRSTUVWXYZ", VALUE | JOINED | UPPER);
  mark("abcdefghijklmnopqrstuvwxyz", VALUE | JOINED | LOWER);
  mark("_+/~", VALUE | JOINED);
  mark("0123456789", VALUE | DIGIT | JOINED);
  mark("!#$%^&*", VALUE);
  mark(".@-", VALUE | NO_START | JOINED);
  mark("=", VALUE | NO_START);
  return table;
}

/**
 * Replaces such values, and adds to `counts`: the token kT9v… was refused; auth=('user', 'kT9v…'). Applies to segments with
 * the name of a secret. A loop, because a pattern would begin at each character.
 * @param context the text before `text`; only its last line counts
 */
export function redactNearSecrets(text: string, counts: Counts, context = ""): string {
  let out = "";
  let copied = 0;
  for (let end = 0; end < text.length; end++) {
    const first = end;
    let kinds = 0;
    for (; end < text.length; end++) {
      const kind = KINDS[text.charCodeAt(end)] ?? 0;
      if (kind === 0) break;
      kinds |= kind;
    }
    // A shorter value has letters in both cases.
    const isMixed = (kinds & LOWER) !== 0 && (kinds & UPPER) !== 0;
    if ((kinds & DIGIT) === 0 || end - first < (isMixed ? MIN_LENGTH : MIN_RANDOM_LENGTH)) continue;
    const start = startOf(text, first, end);
    const length = start === -1 ? 0 : measure(text.slice(start, end), textBefore(text, start, context));
    if (length === 0) continue;
    counts.SECRET = (counts.SECRET ?? 0) + 1;
    out += text.slice(copied, start) + marker("SECRET");
    copied = start + length;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

/** Where a value begins in a run of such characters; −1 for nowhere. */
function startOf(text: string, first: number, end: number): number {
  let digit = first;
  for (let start = first; start + MIN_LENGTH <= end; start++) {
    const isJoined = start > first && ((KINDS[text.charCodeAt(start - 1)] ?? 0) & JOINED) !== 0;
    if (isJoined || (KINDS[text.charCodeAt(start)] ?? 0) & NO_START || text.startsWith("0x", start)) continue;
    digit = Math.max(digit, start);
    while (digit < end && ((KINDS[text.charCodeAt(digit)] ?? 0) & DIGIT) === 0) digit += 1;
    if (digit === end) return -1;
    if (digit - start <= MAX_DIGIT_AT) return start;
  }
  return -1;
}

function measure(value: string, before: string): number {
  if (IDENTIFIER.test(before.slice(-MAX_IDENTIFIER_LENGTH))) return 0;
  const mixed = measureMixed(value);
  const random = mixed || measureRandom(value);
  if (random === 0 || RESOURCE_NAME.test(before)) return 0;
  if (ADJACENT.test(before)) return random;
  return mixed > 0 && (ANNOUNCED.test(before) || CALL.test(before)) ? mixed : 0;
}

const AWS_BEFORE = /(?:AKIA|ASIA)[A-Z0-9]{16}|\[REDACTED_AWS_ACCESS|\baws|\bs3\b|minio|secret|credential/i;

/** Keys of a fixed length. */
export const FREE_KEYS: readonly Rule[] = [
  {
    name: "AWS_SECRET_KEY",
    pattern: /(?<![\w+/=-])[A-Za-z0-9+/]{40}(?![\w+/=-])/g,
    // AWS: 40 characters of base64, near the id of the key
    hint: "(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/])",
    measure: (value, before) => (/[A-Z]/.test(value) && AWS_BEFORE.test(before) ? measureRandom(value) : 0),
  },
  {
    name: "AZURE",
    pattern: /(?<![\w+/=-])[A-Za-z0-9+/]{86}==/g,
    // Azure: 64 bytes in base64
    hint: "==(?<=[A-Za-z0-9+/]{86}==)",
    measure: (value, before) =>
      /(?<!REDACTED_[A-Z_]{0,40})(?:key|secret|account|azure|storage|cosmos)/i.test(before) && !IDENTIFIER.test(before)
        ? value.length
        : 0,
  },
];
