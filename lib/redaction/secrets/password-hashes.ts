// Redaction rules for hashes of passwords, which can be guessed offline, and for lines of password files.

import type { Rule } from "../rules/rule.ts";

function hash(pattern: RegExp, hint?: string): Rule {
  return { name: "PASSWORD_HASH", pattern, ...(hint !== undefined && { hint }) };
}

const B = "[A-Za-z0-9./+=]";

export const PASSWORD_HASHES: readonly Rule[] = [
  hash(
    /(?<![\w$])\$(?:1|2[abxy]?|5|6|7|8|9|y|gy|apr1|P|H|S|sha1|md5|argon2(?:id|i|d)|scrypt|bcrypt(?:-sha256)?|pbkdf2(?:[-_]sha\d{1,3})?|krb5\w{1,12})(?=[$\w])\$?[\w./+=,$*-]{16,}/g,
    // crypt(5), bcrypt, Argon2, PHC strings, Cisco and Kerberos
  ),
  hash(/SCRAM-SHA-(?:1|256|512)\$\d{1,8}:[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=:]{20,}/g), // PostgreSQL's SCRAM verifiers
  hash(/\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,12}|ARGON2)\}[\w./+=$,-]{16,}/gi), // LDAP userPassword
  hash(
    new RegExp(
      `(?<![\\w])(?:pbkdf2_sha\\d{1,3}|bcrypt(?:_sha256)?|argon2|scrypt|sha1|sha256|sha512|md5)\\$${B}[\\w./+=,$-]{20,}`,
      "g",
    ),
    // Django
  ),
  hash(
    /(?<!\w)(?:pbkdf2:sha\d{1,3}(?::\d{1,8})?|scrypt:\d{1,8}:\d{1,3}:\d{1,3})\$[\w./+=]{4,64}\$[0-9a-f]{32,}/g,
    // Werkzeug
  ),
  hash(/(?<!\w)[0-9a-f]{32}:[0-9a-f]{32}(?=:::)/gi), // LM and NT hashes
  {
    name: "PASSWORD",
    pattern: /(?<keep>(?<![\w.@/-])[\w.-]{1,64}:)(?!\/\/|\[REDACTED_)[^\s:@/"']{1,128}(?=@(?:tcp|unix|udp)\()/g,
    // DSN of Go's MySQL driver: user:password@tcp(host:3306)/db
  },
];

/** mysql_native_password: without a mark, in segments with a long run. */
export const MYSQL_HASH: Rule = hash(/(?<![\w*])\*[0-9A-F]{40}(?!\w)/g, "\\*[0-9A-F]{40}");

/** A password in a list of Redis' users. */
export const REDIS_HASH: Rule = hash(/(?<![\w#&/])#[0-9a-f]{64}(?!\w)/g, "#[0-9a-f]{64}");

/** Lines of password files, in segments with colons. */
export const PASSWORD_FILES: readonly Rule[] = [
  {
    name: "PASSWORD",
    pattern:
      /(?<keep>^[ \t]*(?:[\w./+>-]{1,60}[ \t]+)?["']?(?:[\w.-]{1,100}|\*):(?:\d{4,5}|\*):(?:[\w-]{1,64}|\*):[\w.@*-]{1,64}:)(?!\[REDACTED_)[^\s:"']{3,}(?=["']?[ \t\r]*(?:\n|$|>))/gm,
    hint: ":(?:\\d{4,5}|\\*):[\\w*-]+:",
    // .pgpass: host:port:database:user:password
    measure: (value) => (/^[\d.]+$/.test(value) && value.length < 6 ? 0 : value.length),
  },
];
