// Redaction rules for secrets that are recognised by their context: values after a secret's name, headers, URLs with a
// password. Only the value is replaced.

import type { Rule } from "../rules/rule.ts";
import { ANY_KEY_ENDING, SEPARATOR } from "./key-names.ts";
import { isPlaceholder } from "./placeholder-values.ts";

/** A credential is longer than the words that follow "Bearer" in a sentence, and has digits. */
function measureCredential(value: string): number {
  return value.length >= 12 && /\d/.test(value) && !isPlaceholder(value) ? value.length : 0;
}

const HEADER = `authorization${SEPARATOR}\\\\{0,3}["'\`]?`;
const SCHEMES = "(?:bearer|basic|digest|token|apikey|api-key|negotiate|ntlm|splunk|key|bot)";

export const NAMED_SECRETS: readonly Rule[] = [
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
  {
    name: "PASSWORD",
    pattern: new RegExp(
      `(?<keep>(?<![\\w-])--?[\\w.-]{0,48}${ANY_KEY_ENDING}[ \\t]{1,64}["']?)(?!-)(?:(?<=")[^"\\n]+|(?<=')[^'\\n]+|[^\\s"'\`]+)`,
      "gi",
    ),
    source: "command-line options: --password VALUE, --token VALUE",
    measure: (value) => (isPlaceholder(value) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(`(?<keep><[\\w:.-]{0,64}${ANY_KEY_ENDING}>)[^<\\n]+(?=</)`, "gi"),
    source: "XML elements with the name of a secret: Maven, Spring and Tomcat settings",
    measure: (value) => (isPlaceholder(value.trim()) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(
      `(?<keep><(?:key|name|string)>[\\w.-]{0,64}${ANY_KEY_ENDING}</(?:key|name|string)>\\s{0,80}<(?:value|string|data)>)[^<\\n]+(?=</)`,
      "gi",
    ),
    source: "XML elements for a name and its value: Hadoop, Jenkins, property lists",
    hint: "</(?:key|name|string)>",
    measure: (value) => (isPlaceholder(value.trim()) ? 0 : value.length),
  },
  {
    name: "AUTHORIZATION",
    pattern:
      /(?<keep>authorization["']?[ \t]{0,4}[:=][^\n]{0,8}digest[ \t][^\n]{0,600}?[ ,](?:response|cnonce)=\\{0,3}"?)[0-9a-f]{16,}/gi,
    hint: "digest",
    source: "RFC 7616: the response, from which a password can be guessed",
  },
  {
    name: "REGISTRY_AUTH",
    pattern: /(?<keep>\\{0,3}"auth\\{0,3}"[ \t]{0,64}:[ \t]{0,64}\\{0,3}")[A-Za-z0-9+/]{8,}={0,2}/g,
    source: "~/.docker/config.json: base64 of user:password",
    hint: "auth",
  },
  {
    name: "SESSION",
    pattern:
      /(?<keep>(?:^|[;\s"',:=])[\w.%-]{0,60}(?:sess|sid|auth|jwt|token|csrf|xsrf|remember|login|ticket|identity|user|id|key|secret|__)[\w.%-]{0,60}=(?<=cookie["']?[ \t]{0,4}[:=][^\n]{0,1000}))[^\s;"',&]{12,}/gi,
    source: "RFC 6265: Cookie and Set-Cookie",
    hint: "cookie",
    measure: (value) => (/\d/.test(value) && !isPlaceholder(value) ? value.length : 0),
  },
  {
    name: "PRIVATE_KEY",
    pattern: /(?<keep>(?<="?kty"?[^\n]{0,1000})["'](?:d|p|q|dp|dq|qi|k)["'][ \t]*:[ \t]*["'])[\w-]{20,}/g,
    source: "RFC 7517: private members of a JSON Web Key",
    hint: "kty",
  },
  {
    name: "PRIVATE_KEY",
    pattern: /(?<keep>["'](?:d|p|q|dp|dq|qi|k)["'][ \t]*:[ \t]*["'])[\w-]{20,}(?=[^\n]{0,1000}["']kty["'])/g,
    source: "the same, with kty at the end",
    hint: "kty",
  },
];

export const ENCRYPTED_PASSWORD: Rule = {
  name: "ENCRYPTED_SECRET",
  pattern: /(?<=\{)[A-Za-z0-9+/]{40,}={0,2}(?=\})/g,
  hint: "\\{[A-Za-z0-9+/]{40}",
  source: "passwords that Maven and Jenkins encrypt with a key beside them",
};

export const URL_PASSWORD: Rule = {
  name: "DATABASE_URL",
  pattern:
    /(?<keep>(?<=[a-z][a-z0-9+.-]{1,20}):\/\/[^\s:@/"'`<>]{0,128}:)(?:[^\s"'`<>/]{1,512}(?=@)|(?!\d{1,5}\/)[^\s"'`<>@]{1,256}(?=@))/gi,
  source: "RFC 3986 userinfo: postgres://user:password@host, redis, amqp, mongodb, https",
  hint: "://",
  measure: (value) => (isPlaceholder(value) ? 0 : value.length),
};
