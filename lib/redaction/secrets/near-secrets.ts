// Redaction rules for values that only a generator writes, by the words before them: no sign binds them to a name.

import type { Rule } from "../rules/rule.ts";
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
  /(?:kid|ids?|hash|digest|sha-?\d{0,3}|md5|fingerprint|nonce|checksum|etag|version|trace|span|request|commit|serial|uid|user|name|thumbprint|status|code)["']?[\s:=#(-]{1,4}$/i;
const RESOURCE_NAME = /arn:aws\S{0,80}$/;

/** Applies to segments with the name of a secret. */
export const NEAR_SECRETS: readonly Rule[] = [
  {
    name: "SECRET",
    pattern: /(?<![\w+/.~@-])(?!0x)(?=[A-Za-z_+/=.~!@#$%^&*-]{0,80}\d)[A-Za-z\d_+/~!#$%^&*][\w+/=.~!@#$%^&*-]{9,}/g,
    // the token kT9v… was refused; auth=('user', 'kT9v…')
    hint: "\\d",
    measure: (value, before) => {
      const mixed = measureMixed(value);
      const random = mixed || measureRandom(value);
      if (random === 0 || IDENTIFIER.test(before.slice(-MAX_IDENTIFIER_LENGTH)) || RESOURCE_NAME.test(before)) return 0;
      if (ADJACENT.test(before)) return random;
      return mixed > 0 && (ANNOUNCED.test(before) || CALL.test(before)) ? mixed : 0;
    },
  },
];

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
