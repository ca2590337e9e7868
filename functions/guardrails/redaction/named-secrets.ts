// Redaction rules for secrets that are recognised by their context: values after a secret's name, headers, URLs with a
// password. Only the value is replaced.

import { ANY_KEY_ENDING, KEY_HINT, KEY_KINDS, SEPARATOR } from "./key-names.ts";
import { isPlaceholder } from "./placeholders.ts";
import type { Rule } from "./redaction-rule.ts";

const MARKER = "\\[REDACTED_[A-Z_]+\\]";
const PLAIN = "[^\\s\"'`<>,;&)}\\]]";
// Punctuation belongs to a value if more of the value follows, and not the next pair: `a=b,c=d` are two values.
const PUNCTUATION = `[,;&)}\\]](?=${PLAIN})(?![\\w.-]{1,40}[=:])`;
const BARE_VALUE = `(?:${MARKER}|\\$\\{[^}\\s]{0,64}\\}|${PLAIN}|${PUNCTUATION})+`;

/** A quoted value ends at the same quote with the same escape, or at the end of the line. */
const VALUE = `(?:${[
  `(?<=\\\\["'\`])(?:(?!\\\\+["'\`])[^\\n])+`,
  `(?<=[^\\\\]")(?:\\\\.|[^"\\\\\\n])+`,
  `(?<=[^\\\\]')(?:\\\\.|[^'\\\\\\n])+`,
  `(?<=[^\\\\]\`)(?:\\\\.|[^\`\\\\\\n])+`,
  `(?<!["'\`])(?!\\\\{0,3}["'\`])${BARE_VALUE}`,
].join("|")})`;

/** Short numbers after "token" or "key" are counts and ids; after "password" they are passwords. */
const COUNT = /^\d{1,6}(?:\.\d+)?$/;

const PAIRS: readonly Rule[] = KEY_KINDS.map(({ name, ending }) => ({
  name,
  pattern: new RegExp(`(?<keep>${ending}(?:[_-]?\\d{1,2})?${SEPARATOR}\\\\{0,3}["'\`]?)${VALUE}`, "gi"),
  source: "pairs in environment files, YAML, JSON, URLs, connection strings and code",
  hint: KEY_HINT,
  measure: (value) => {
    if (isPlaceholder(value) || (name !== "PASSWORD" && COUNT.test(value))) return 0;
    return name === "PASSWORD" && /^\/[\w./-]*$/.test(value) && value.length > 1 ? 0 : value.length;
  },
}));

/** A credential is longer than the words that follow "Bearer" in a sentence, and has digits. */
function measureCredential(value: string): number {
  return value.length >= 12 && /\d/.test(value) && !isPlaceholder(value) ? value.length : 0;
}

const HEADER = `authorization${SEPARATOR}\\\\{0,3}["'\`]?`;
const SCHEMES = "(?:bearer|basic|digest|token|apikey|api-key|negotiate|ntlm|splunk|key|bot)";

export const NAMED_SECRETS: readonly Rule[] = [
  {
    name: "DATABASE_URL",
    pattern:
      /(?<keep>[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{0,128}:)(?:[^\s"'`<>/]{1,512}(?=@)|(?!\d{1,5}\/)[^\s"'`<>@]{1,256}(?=@))/gi,
    source: "RFC 3986 userinfo: postgres://user:password@host, redis, amqp, mongodb, https",
    hint: "://",
    measure: (value) => (isPlaceholder(value) ? 0 : value.length),
  },
  {
    name: "AUTHORIZATION",
    pattern: new RegExp(`(?<keep>${HEADER}${SCHEMES}[ \\t]{1,64})[^\\s"'\`,;<>\\\\]+`, "gi"),
    source: "RFC 9110 §11.6.2: Authorization and Proxy-Authorization",
    hint: "authorization",
    measure: (value) => (isPlaceholder(value) ? 0 : value.length),
  },
  {
    name: "AUTHORIZATION",
    pattern: new RegExp(`(?<keep>${HEADER}(?:[\\w-]{1,24}[ \\t]{1,64})?)[^\\s"'\`,;<>\\\\]{6,}`, "gi"),
    source: "the same header with a custom scheme or without one",
    hint: "authorization",
    measure: (value) => (isPlaceholder(value) || !/\d/.test(value) ? 0 : value.length),
  },
  {
    name: "AUTHORIZATION",
    pattern: /(?<keep>\b(?:bearer|basic)[ \t]{1,64})[\w.~+/=-]{12,}/gi,
    source: "RFC 6750 and RFC 7617 credentials outside their header",
    hint: "bearer|basic",
    measure: measureCredential,
  },
  ...PAIRS,
  {
    name: "PASSWORD",
    pattern: /(?<keep>\b(?:password|identified by)[ \t]{1,64}')(?:''|[^'\n])+/gi,
    source: "SQL: ALTER ROLE … PASSWORD '…' (PostgreSQL), IDENTIFIED BY '…' (MySQL)",
    hint: "password|by",
    measure: (value) => (isPlaceholder(value) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(`(?<keep>(?<![\\w-])--?[\\w-]{0,32}${ANY_KEY_ENDING}[ \\t]{1,64}["']?)(?!-)[^\\s"'\`]+`, "gi"),
    source: "command-line options: --password VALUE, --token VALUE",
    hint: KEY_HINT,
    measure: (value) => (isPlaceholder(value) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(`(?<keep><[\\w:.-]{0,64}${ANY_KEY_ENDING}>)[^<\\n]+(?=</)`, "gi"),
    source: "XML elements with the name of a secret: Maven, Spring and Tomcat settings",
    hint: KEY_HINT,
    measure: (value) => (isPlaceholder(value.trim()) ? 0 : value.length),
  },
  {
    name: "REGISTRY_AUTH",
    pattern: /(?<keep>\\{0,3}"auth\\{0,3}"[ \t]{0,64}:[ \t]{0,64}\\{0,3}")[A-Za-z0-9+/]{8,}={0,2}/g,
    source: "~/.docker/config.json: base64 of user:password",
    hint: "auth",
  },
];
