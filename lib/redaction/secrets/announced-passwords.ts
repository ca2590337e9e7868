// Redaction rules for passwords that a sentence, a statement or a line of a configuration announces, without a sign
// between name and value.

import type { Rule } from "../rules/rule.ts";
import { isPlaceholderValue } from "./placeholder-values.ts";
import { measureAny, measureRandom, measureSecret } from "./secret-values.ts";

export const PASSWORD_WORDS =
  "hasło|heslo|parola|şifre|lösenord|passord|adgangskode|kodeord|salasana|jelszó|lozinka|password|passwd|passphrase|passcode|passwort|kennwort|contraseña|(?:mot de )?passe|senha|wachtwoord|pwd|пароль|credentials|creds|pw|pass";
const SECRET_WORDS = "secret|token|key|otp|(?:wifi|wi-fi|root|admin|db|database|vpn|master)[ -](?:pass|pw|key)";
const FILLER = "(?:[ \\t]{1,8}[\\w\\u00c0-\\u04ff.@'’\"`/:()-]{1,48}(?<![.;!?])){0,9}?";
const COPULA =
  "(?:(?<![\\w\\u00c0-\\u04ff])(?:para|naar|till|jest|je|är|er|será|будет|теперь|is|was|are|to|now|be|became|remains|ist|war|lautet|auf|est|était|es|era|fue|è|é)|->|→)";
const ADVERB =
  "(?:[ \\t]{1,8}(?:now|still|just|currently|set|changed|reset|rotated|neu|jetzt|maintenant|ahora|to)){0,3}";
/** Has a digit or symbol, so that the sentence's own words are passed over. */
const VALUE = "(?=[^\\s\"'`]*[\\d!@#$%^&*?~+=])(?!\\[REDACTED_)[^\\s\"'`<>,;]{5,}";
const OPEN = "(?:[ \\t]{0,8}[:=])?[ \\t]{1,8}";

function measureQuoted(value: string): number {
  return isPlaceholderValue(value) || /\s\S+\s\S+\s\S+\s\S+\s/.test(value) ? 0 : value.length;
}

function announced(words: string, measure: Rule["measure"], copula = COPULA): Rule {
  const end = `${copula}${ADVERB}${OPEN}["'\`*_]{0,2}`;
  return {
    name: "PASSWORD",
    pattern: new RegExp(
      `(?<keep>(?<![\\w-])(?:[a-z]{1,20}[_-]){0,3}(?:${words})s?(?![\\w-])${FILLER}[ \\t]{0,8}${end})${VALUE}`,
      "gi",
    ),
    // The value is looked for first: the words before it are tried many times.
    hint: `^(?=[^]*?${end}${VALUE})[^]*?(?:${words})s?[ \\t→]`,
    ...(measure && { measure }),
  };
}

const CODE = /(?:(?<![a-z])(?:pin|puk|otp)|(?:verification|security|login|mfa|2fa|one-time)[ -]code)\b[^\n]{0,60}$/i;

/** The beginning of a line that is a setting. A segment may begin within a line. */
const SETTING =
  /^[ \t]*(?:requirepass|masterauth|sentinel|bindpw|rootpw|auth_pass|auth-user|pass|psk|enable|username|neighbor|snmp|key-string|pre-shared|radius|tacacs)/;

export const ANNOUNCED_PASSWORDS: readonly Rule[] = [
  announced(
    "pin|puk|otp|code",
    (value, before) => (/^\d{5,12}$/.test(value) && CODE.test(before) ? value.length : 0),
    // the pin is VALUE
  ),
  {
    name: "SEED_PHRASE",
    pattern:
      /(?<keep>(?:phrase|mnemonic)["']?[^\n:=]{0,40}[:=][ \t]{0,8}["']?)[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23}/gi,
    // BIP 39: 12 to 24 words
    hint: "phrase|mnemonic",
  },
  announced(PASSWORD_WORDS, measureSecret), // a sentence: the password is VALUE
  announced(
    SECRET_WORDS,
    (value) => (value.length >= 8 ? measureSecret(value) : 0),
    // the token is VALUE
    "(?<!\\w)(?:is|was|ist|est|es)",
  ),
  announced(PASSWORD_WORDS, measureSecret, "(?=[ \\t]{0,4}[:=])"), // password for the database: VALUE
  announced(SECRET_WORDS, measureRandom, "(?=[ \\t]{0,4}[:=])"), // the token for the account: VALUE
  {
    name: "PASSWORD",
    pattern: new RegExp(`(?<keep>(?<![\\w-])(?:${PASSWORD_WORDS})[ \\t]{1,64}["'\`]?)${VALUE}`, "gi"),
    // with password VALUE; password VALUE in .netrc and configurations
    hint: `(?:${PASSWORD_WORDS})[ \\t]`,
    measure: measureSecret,
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(
      `(?<keep>(?<![\\w-])(?:${PASSWORD_WORDS})[ \\t]{1,8}["'\`])(?=[^"'\`\\n]{0,100}\\d)[^"'\`\\n]{1,200}(?=["'\`])`,
      "gi",
    ),
    // with password "VALUE"
    hint: `(?:${PASSWORD_WORDS})[ \\t]{1,8}["'\`]`,
    measure: measureQuoted,
  },
  {
    name: "PASSWORD",
    pattern:
      /(?<keep>(?<![\w-])(?:secret|community|key-string|pre-shared-key|(?:radius|tacacs)-server key)[ \t]+(?:\d[ \t]+)?["']?)(?!\[REDACTED_)[^\s"']{5,}(?=["']?[ \t\r]{0,16}(?:(?:RO|RW|ro|rw)[ \t\r]{0,16})?(?:$|\n))/g,
    // configurations of routers
    hint: "(?:secret|community|key-string|pre-shared-key|server key)[ \\t]",
    measure: measureSecret,
  },
  {
    name: "PASSWORD",
    pattern:
      /(?<keep>^[ \t]*(?:requirepass|masterauth|sentinel auth-pass \S{1,60}|bindpw|rootpw|auth_pass|auth-user-pass|password|passphrase|psk|(?:enable|username \S{1,60}|neighbor \S{1,60})[ \t]+(?:secret|password)|snmp-server community|key-string|pre-shared-key(?: local| remote)?|radius-server key|tacacs-server key)[ \t]+(?:\d[ \t]+)?["']?)(?!\[REDACTED_)[^\s"']{3,}(?=["']?[ \t\r]{0,16}(?:(?:RO|RW|ro|rw)[ \t\r]{0,16})?(?:$|\n))/gm,
    // configurations of Redis, LDAP, Keepalived and routers: name, blank, value
    hint: "^[ \\t]*(?:requirepass|masterauth|sentinel|bindpw|rootpw|auth_pass|auth-user|pass|psk|enable|username|neighbor|snmp|key-string|pre-shared|radius|tacacs)",
    measure: (value, before) => (/[:=]$/.test(value) || !SETTING.test(before) ? 0 : measureAny(value)),
  },
  {
    name: "PASSWORD",
    pattern:
      /(?<keep>(?<!\w)(?:user(?:name)?|login|auth|creds?|credentials|admin|zugangsdaten)[ \t]{0,8}[:=]?[ \t]{1,8}(?:(?:with|as|using|via|are|is|mit)[ \t:]{1,8})?[\w.@-]{1,60}(?:[ \t]{0,8}\/[ \t]{0,8}|:))(?=[^\s/]*[\d!@#$%^&*])(?!\[REDACTED_)[^\s"'/,;]{5,}/gi,
    // login: USER / PASSWORD, auth USER:PASSWORD
    hint: "[\\w.@-](?:[ \\t]{0,8}/[ \\t]{0,8}|:)[^\\s/]",
    measure: (value, before) => (/(?<![\w-])[0-9A-F]{1,8}\/$/.test(before) ? 0 : measureSecret(value)),
  },
  {
    name: "PASSWORD",
    pattern:
      /(?<keep>\b(?:password|identified(?:[ \t]{1,64}with[ \t]{1,64}[\w']{1,40})?[ \t]{1,64}(?:by|as)(?:[ \t]{1,64}(?:password|values))?|set[ \t]{1,64}password\b[^\n=]{0,120}=)[ \t]{0,64}(?:=|\(|=[ \t]*(?:password|old_password)\()?[ \t]{0,64}(?<=[ \t(=])[nN]?')(?:''|[^'\n])+/gi,
    // SQL: PASSWORD '…', PASSWORD = N'…', IDENTIFIED BY '…', SET PASSWORD FOR … = PASSWORD('…')
    hint: "(?:password|identified)[^\\n]{0,200}'",
    measure: (value) => (isPlaceholderValue(value) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: /(?<keep>\bidentified[ \t]{1,64}by[ \t]{1,64}"?)(?!values|password|')[^\s"';]+/gi,
    // SQL of Oracle: IDENTIFIED BY value
    hint: "identified[ \\t]",
    measure: (value, before) =>
      /\b(?:user|role|grant|link|database)\b/i.test(before) || /\d/.test(value) ? measureAny(value) : 0,
  },
  {
    name: "PASSWORD",
    pattern:
      /(?<keep>(?:密码|密碼|口令|パスワード|비밀번호|암호)[^\s\w:：=「『“"'(]{0,6}[ \t]{0,3}[:：=「『“"'(]{0,2}[ \t]{0,3})(?=[\x21-\x7e]{0,60}\d)[\x21-\x26\x28-\x7e]{5,60}/g,
    hint: "[码碼令ド호]",
    // the same in Chinese, Japanese and Korean
    measure: measureSecret,
  },
  {
    name: "RECOVERY_CODE",
    pattern:
      /(?<keep>(?<![\w-])(?:recovery|backup|rescue|scratch|emergency|one-time|mfa|2fa)[ _-]codes?[^\n:]{0,40}[:=]?[ \t]{1,8}["'`]?)(?=[\w-]{0,40}\d)[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){0,3}(?:[,; ]{1,3}(?=[\w-]{0,40}\d)[A-Za-z0-9]{4,10}(?:-[A-Za-z0-9]{4,10}){0,3}){0,15}/gi,
    hint: "[ _-]codes?",
    // one-time codes for a second factor
    measure: (value) => (/\d{4}-\d\d-\d\d/.test(value) || !/[a-z-]/i.test(value) ? 0 : value.length),
  },
];
