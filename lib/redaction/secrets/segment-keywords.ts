// Keywords that the segmenter looks for, and the traits that they give a segment.

import { createKeywordAutomaton } from "../../text/keyword-automaton.ts";
import { PASSWORD_WORDS } from "./announced-passwords.ts";
import { AUTH_WORDS, COMMAND_WORDS } from "./command-lines.ts";
import { KEY_WORDS } from "./key-names.ts";
import { TOKEN_KEYWORDS } from "./token-formats.ts";
import { VENDOR_NAMES } from "./vendor-names.ts";

/** Properties of a segment, as bits; only the rules that can match them run. */
export const TRAIT = {
  /** A run of word characters, dots, hyphens and the signs of base64 at least as long as the shortest token. */
  longRun: 1,
  /** @, % or the start of an escape. */
  at: 2,
  /** A number with enough digits for a phone number. */
  manyDigits: 4,
  /** Enough dots after digits for an address. */
  dottedDigit: 8,
  /** Enough colons for an IPv6 address or a line of a password file. */
  colons: 16,
  /** The name of a secret, such as "password". */
  named: 32,
  /** A program whose options may hold a password. */
  command: 64,
  /** The beginning of a vendor's token. */
  token: 128,
  /** The beginning of a password's hash. */
  mark: 256,
  /** The end of a scheme. */
  url: 512,
  /** The name of a vendor. */
  vendor: 1024,
  /** The name of a secret and a blank: a sentence or statement may follow. */
  sentence: 2048,
  /** Such a run of at least the length of base64 that may hold a secret. */
  encodedRun: 4096,
  /** Such a run of at least the length of a key without a prefix. */
  keyRun: 8192,
  /** The command AUTH. */
  auth: 16_384,
} as const;

/** Characters after a secret's name in which its value begins; a sentence may stand between them. */
export const NAME_WINDOW = 200;
/** Characters of a command line. */
export const COMMAND_WINDOW = 1_000;

/** Words that stand for a secret in a header or statement. */
const OTHER_NAMES = [
  "bearer",
  "basic ",
  "authorization",
  "identified",
  "community ",
  "key-string",
  "tacacs",
  "radius",
  "cookie",
  "login ",
  "login=",
  "verification code",
  "security code",
  "login code",
  "mfa code",
  "auth(",
  "phrase:",
  "mnemonic",
  "kty",
  "пароль",
  "mot de passe",
  "zugangsdaten",
  "api key",
  "access key",
  "recovery ",
  "backup ",
  "scratch ",
  "2fa ",
  "one-time ",
  "mfa ",
];
/** Words after which a blank stands between a secret's name and its value, or words do. */
const SENTENCE_WORDS = [...PASSWORD_WORDS.split("|"), "secret", "token", "key", "otp"]
  .filter((word) => /^[\p{L}]+$/u.test(word))
  .flatMap((word) => [`${word} `, `${word}s `, `${word}\t`, `${word}→`])
  .concat(
    [
      "identified",
      "community ",
      "key-string ",
      "masterauth ",
      "psk ",
      "phrase:",
      "mnemonic",
      "pin ",
      "auth ",
      "login ",
      "login:",
      "credentials:",
      "creds:",
      "passe ",
    ],
    ["code ", "codes ", "code:", "codes:", "password("],
    ["密码", "密碼", "口令", "パスワード", "비밀번호", "암호"],
  );
/** Beginnings of hashes of passwords. */
const MARKS = (
  "$1$ $2$ $2a$ $2b$ $2x$ $2y$ $5$ $6$ $7$ $8$ $9$ $y$ $gy$ $apr1$ $argon2 $scrypt $bcrypt $pbkdf2 $p$ $h$ $s$ $krb5 $md5 $sha1 " +
  "pbkdf2 bcrypt argon2$ scrypt: scrypt$ sha1$ sha256$ sha512$ md5$ scram-sha- {ssha {sha {smd5 {md5 {crypt {argon2 ::: @tcp( @unix( @udp("
).split(" ");

export const KEYWORD_AUTOMATON = createKeywordAutomaton(
  keywordMap([
    [TOKEN_KEYWORDS, TRAIT.token],
    [[...KEY_WORDS, ...OTHER_NAMES], TRAIT.named],
    [VENDOR_NAMES, TRAIT.named | TRAIT.vendor],
    [SENTENCE_WORDS, TRAIT.sentence],
    [COMMAND_WORDS, TRAIT.command],
    [AUTH_WORDS, TRAIT.auth],
    [MARKS, TRAIT.mark],
    [["://"], TRAIT.url],
    [["＠", "[at]", "(at)"], TRAIT.at],
    [["ec2-"], TRAIT.dottedDigit],
  ]),
);

function keywordMap(groups: readonly (readonly [words: readonly string[], trait: number])[]): Map<string, number> {
  const map = new Map<string, number>();
  for (const [words, trait] of groups) for (const word of words) map.set(word, (map.get(word) ?? 0) | trait);
  return map;
}
