// Redaction rules for secrets that are recognised by their context: values after a secret's name, headers, URLs with a
// password. Only the value is replaced.

import type { Rule } from "../rules/rule.ts";
import { ANY_KEY_ENDING, CONTINUED, SEPARATOR } from "./key-names.ts";
import { isPlaceholderValue } from "./placeholder-values.ts";
import { measureRandom } from "./secret-values.ts";

/** A credential is longer than the words that follow "Bearer" in a sentence, and has digits. */
function measureCredential(value: string): number {
  return value.length >= 12 && /\d/.test(value) && !isPlaceholderValue(value) ? value.length : 0;
}

const HEADER = `authorization${SEPARATOR}\\\\{0,3}["'\`]?`;
const SCHEME = /(?:bearer|basic|digest|token|apikey|api-key|negotiate|ntlm|splunk|key|bot)\s+(?:\\\s+)?$/i;

export const NAMED_SECRETS: readonly Rule[] = [
  {
    name: "AUTHORIZATION",
    pattern: new RegExp(`(?<keep>${HEADER}(?:[\\w-]{1,24}[ \\t]{1,64}${CONTINUED})?)[^\\s"'\`,;<>\\\\]{6,}`, "gi"),
    // RFC 9110 §11.6.2: Authorization and Proxy-Authorization, also with a custom scheme or without one
    hint: "authorization",
    measure: (value, before) =>
      !isPlaceholderValue(value) && (/\d/.test(value) || SCHEME.test(before)) ? value.length : 0,
  },
  {
    name: "AUTHORIZATION",
    pattern: /(?<keep>\b(?:bearer|basic)[ \t]{1,64})[\w.~+/=-]{12,}/gi,
    // RFC 6750 and RFC 7617 credentials outside their header
    hint: "bearer|basic",
    measure: measureCredential,
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(
      `(?<keep>(?<![\\w-])--?[\\w.-]{0,48}${ANY_KEY_ENDING}[ \\t]{1,64}${CONTINUED}["']?)(?!-)(?:(?<=")[^"\\n]+|(?<=')[^'\\n]+|[^\\s"'\`]+)`,
      "gi",
    ),
    // command-line options: --password VALUE, --token VALUE
    hint: "(?<![\\w-])-{1,2}\\w",
    measure: (value) => (isPlaceholderValue(value) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(`(?<keep><[\\w:.-]{0,64}${ANY_KEY_ENDING}>)[^<\\n]+(?=</)`, "gi"),
    // XML elements with the name of a secret: Maven, Spring and Tomcat settings
    hint: "</",
    measure: (value) => (isPlaceholderValue(value.trim()) ? 0 : value.length),
  },
  {
    name: "PASSWORD",
    pattern: new RegExp(
      `(?<keep>(?:<(?:key|name|string)>[\\w.-]{0,64}${ANY_KEY_ENDING}</(?:key|name|string)>\\s{0,80}<(?:value|string|data)>|(?<!\\w)(?:key|name)="[\\w.-]{0,64}${ANY_KEY_ENDING}"[^<>\\n]{0,80}>(?:<value>)?))[^<\\n]+(?=</)`,
      "gi",
    ),
    // XML elements for a name and its value: Hadoop, Jenkins, .NET, property lists
    hint: "</(?:key|name|string)>|(?:key|name)=",
    measure: (value) => (isPlaceholderValue(value.trim()) ? 0 : value.length),
  },
  {
    name: "AUTHORIZATION",
    pattern:
      /(?<keep>authorization["']?[ \t]{0,4}[:=][^\n]{0,8}digest[ \t][^\n]{0,600}?[ ,](?:response|cnonce)=\\{0,3}"?)[0-9a-f]{16,}/gi,
    hint: "digest",
    // RFC 7616: the response, from which a password can be guessed
  },
  {
    name: "REGISTRY_AUTH",
    pattern: /(?<keep>\\{0,3}"auth\\{0,3}"[ \t]{0,64}:[ \t]{0,64}\\{0,3}")[A-Za-z0-9+/]{8,}={0,2}/g,
    // ~/.docker/config.json: base64 of user:password
    hint: "auth",
  },
  {
    name: "SESSION",
    pattern:
      /(?<keep>(?:^|[;\s"',:=])[\w.%-]{0,60}(?:sess|sid|auth|jwt|token|csrf|xsrf|remember|login|ticket|identity|user|id|key|secret|__)[\w.%-]{0,60}=(?<=cookie["']?[ \t]{0,4}[:=][^\n]{0,1000}))[^\s;"',&]{12,}/gi,
    // RFC 6265: Cookie and Set-Cookie
    hint: "cookie",
    measure: (value) => (/\d/.test(value) && !isPlaceholderValue(value) ? value.length : 0),
  },
  {
    name: "PRIVATE_KEY",
    pattern:
      /(?<keep>["'](?:d|p|q|dp|dq|qi|k)["'][ \t]*:[ \t]*["'])[\w-]{20,}(?:(?<="?kty"?[^\n]{0,1000})|(?=[^\n]{0,1000}["']kty["']))/g,
    // RFC 7517: private members of a JSON Web Key
    hint: "kty",
  },
];

export const ENCRYPTED_PASSWORD: Rule = {
  name: "ENCRYPTED_SECRET",
  pattern: /(?<=\{)[A-Za-z0-9+/]{40,}={0,2}(?=\})/g,
  hint: "\\{[A-Za-z0-9+/]{40}",
  // passwords that Maven and Jenkins encrypt with a key beside them
};

export const URL_SECRETS: readonly Rule[] = [
  {
    name: "DATABASE_URL",
    pattern:
      /(?<keep>(?<=[a-z][a-z0-9+.-]{1,20}):\/\/[^\s:@/"'`<>]{0,128}:)(?!\d{1,5}[/?#,])(?:(?!:\/\/)[^\s"'`<>]){1,512}(?=@)/gi,
    // RFC 3986 userinfo, also with an unescaped / or @: postgres://user:password@host, redis, amqp, https
    hint: "://",
    measure: (value) => (isPlaceholderValue(value) ? 0 : passwordLength(value)),
  },
  {
    name: "DATABASE_URL",
    pattern: /(?<keep>(?<=[a-z][a-z0-9+.-]{1,20}):\/\/)[\w.~-]{16,256}(?=:?@)/gi,
    // a token in place of the user: https://token@host
    hint: "://",
    measure: measureRandom,
  },
  {
    name: "TOKEN",
    pattern: /(?<keep>\/(?:key|token|secret|api[_-]?key|auth|hooks?|webhooks?|ping)\/)[\w-]{16,256}(?![\w.-])/gi,
    // a token in a path: https://host/trigger/key/TOKEN
    hint: "\\/(?:key|token|secret|api|auth|hook|webhook|ping)",
    measure: measureRandom,
  },
];

/** A host and what may follow it. An @ in a query or a list is no end of the password. */
const HOST_AND_MORE = /^[\w.-]+(?::\d{1,5})?(?:[/?][^?&=,]*[?&=,]|,)/;

function passwordLength(value: string): number {
  const at = value.indexOf("@");
  const rest = value.slice(at + 1);
  return at > 0 && !rest.includes("@") && HOST_AND_MORE.test(rest) ? at : value.length;
}
