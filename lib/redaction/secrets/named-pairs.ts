// Redaction of values after the name of a secret: pairs in environment files, YAML, JSON, URLs, connection strings, code
// and tables, also when the value stands in the next line. Each separator is looked at once, and the name before it.

import { type Counts, lastLine, marker } from "../rules/rule.ts";
import { ANY_KEY_ENDING, CONTINUED, inAnyCase, KEY_KINDS, type KeyKind, SEPARATOR } from "./key-names.ts";
import { type BelowKind, belowKind, endPattern, endsWith } from "./next-line.ts";
import {
  measureAny,
  measureBelow,
  measureBlock,
  measureCode,
  measureParameter,
  measurePassword,
  measurePrompted,
  measureRandom,
  measureSecret,
  measureUnnamed,
  measureVerdict,
} from "./secret-values.ts";
import { KEYWORD_AUTOMATON, TRAIT } from "./segment-keywords.ts";
import { VENDOR_NAMES } from "./vendor-names.ts";

const MEASURES: Readonly<Record<KeyKind["value"], (value: string) => number>> = {
  password: measurePassword,
  verdict: measureVerdict,
  any: measureAny,
  unnamed: measureUnnamed,
  secret: measureSecret,
  random: measureRandom,
  parameter: measureParameter,
  code: measureCode,
};

/** Characters before a separator in which its name stands. */
const NAME_LENGTH = 96;
/** Characters that decide whether a name has several words. */
const MAX_WORD_LENGTH = 28;
const MARKER = "\\[REDACTED_[A-Z_]+\\]";
const PLAIN = "[^\\s\"'`<>,;&)}\\]]";
// Punctuation belongs to a value if more of the value follows, and not the next pair: `a=b,c=d` are two values.
const PUNCTUATION = `[,;&)}\\]](?=${PLAIN})(?![\\w.-]{1,40}[=:])`;
const BARE_VALUE = `(?:${MARKER}|\\$\\{[^}\\s]{0,64}\\}|${PLAIN}|${PUNCTUATION})+`;

/** A quoted value ends at the same quote with the same escape, or at the end of the line. */
const VALUE = new RegExp(
  [
    `(?<=\\\\["'\`])(?:(?!\\\\{1,8}["'\`])[^\\n])+`,
    `(?<=[^\\\\]")(?:\\\\.|[^"\\\\\\n])+`,
    `(?<=[^\\\\]')(?:\\\\.|[^'\\\\\\n])+`,
    `(?<=[^\\\\]\`)(?:\\\\.|[^\`\\\\\\n])+`,
    "(?<![\"'`])[a-z]{4}(?: [a-z]{4}){3}(?![^\\s])", // passwords of applications at Google
    `(?<!["'\`])(?!\\\\{0,3}["'\`])${BARE_VALUE}`,
  ].join("|"),
  "y",
);
/** What stands before a quotation mark: `$'…'` of a shell, `N'…'` of SQL, `b'…'`, and the type of a value that a program prints. */
const QUOTED = `(?:(?:[$@nburfNBURF]|(?:${inAnyCase("Some|Just|Ok|Secret(?:Str|String|Text)?|Sensitive|String|str")})\\([ ]?|${inAnyCase("string")}\\(\\d{1,6}\\)[ ])(?=["']))?`;
const OPENING = `(?:"""|'''|\\\\{0,3}["'\`]?)`;
/** A blank is enough after a name of several words: `setenv DB_PASSWORD value`. */
const BLANK = `((?<=\\w)[ \\t]{1,64})${CONTINUED}(?![-=:|<>+~!&\\s]|[\\w.-]{1,60}[=:])`;
// Without the flag `i`, which would double the time.
const SEPARATORS = new RegExp(`(?:${SEPARATOR}|${BLANK})${QUOTED}${OPENING}`, "y");
/** What a separator begins with, and what stands before it. */
const IS_SEPARATOR = tableOf(/[\\"'`\] \t=:<%,]/);
const ENDS_NAME = tableOf(/[\w\u00c0-\u04ff%.-]/);

function tableOf(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 0x500 }, (_, code) => Number(characters.test(String.fromCharCode(code))));
}
const COMPOUND_NAME = /(?:[A-Za-z0-9][_-]|[a-z](?=[A-Z]))[A-Za-z]{2,24}\d{0,2}$/;
/** Beginnings of lines that set a variable. The value is all that is left. */
const SETTER =
  /^[ \t]*(?:[$#>%] ?)?(?:set(?:env|x)?|SetEnv|ENV|ARG|export|declare|typeset|(?:fastcgi|uwsgi|scgi)_param|proxy_set_header)[ \t]+(?:-[\w-]+[ \t]+){0,4}[\w-]+$/i;
const KINDS = KEY_KINDS.map((kind) => ({ kind, pattern: endPattern(`${kind.ending}(?:[_-]?\\d{1,2})?`) }));
const ANY_KIND = endPattern(`${ANY_KEY_ENDING}(?:[_-]?\\d{1,2})?`);
const VENDOR_KEY = endPattern(
  `(?<![a-z])(?:${VENDOR_NAMES.join("|")})[\\w.-]{0,24}(?<!id|sha|hash|digest|commit|version|trace|span|request|host|url|uri|name|region|zone|bucket|ref|index|etag|image|build)`,
);
/** `name: DB_PASSWORD`, and then `value:`. */
const NAMED_BEFORE =
  /(?:name|key)\\{0,3}["']?[ \t]*[:=][ \t]*\\{0,3}["']?(?<name>[\w./-]{1,96})\\{0,3}["']?[,\s]{0,80}(?:\\{0,3}["']?type\\{0,3}["']?\s?[:=]\s?\\{0,3}["']?\w{1,20}\\{0,3}["']?[,\s]{0,80})?\\{0,3}["']?(?:parameter)?value$/i;
/** The name of a resource, or of an annotation with the checksum of an object. */
const RESOURCE_NAME = /(?:^|[^a-z])(?:arn:aws[\w-]*:\S*|checksum\/[\w.-]*["']?)$/i;
const VALUE_KEY = endPattern("value");
/** A marker stands for a value and is no name: redacting a text twice changes nothing. */
const MARKER_BEFORE = /\[REDACTED_[A-Z_]{1,40}\]?$/;

/** What a name that ends a text is the name of. */
function kindOf(name: string, isVendor: boolean): Pick<KeyKind, "name" | "value"> | undefined {
  if (endsWith(ANY_KIND, name, name.length)) {
    for (const { kind, pattern } of KINDS) if (endsWith(pattern, name, name.length)) return kind;
  }
  return isVendor && endsWith(VENDOR_KEY, name, name.length) ? { name: "VENDOR_KEY", value: "random" } : undefined;
}

/** Kinds of words with the sign before them, which repeat from line to line: without and with names of vendors. */
const KINDS_OF_WORDS = [
  new Map<string, ReturnType<typeof kindOf>>(),
  new Map<string, ReturnType<typeof kindOf>>(),
] as const;
const MAX_WORDS = 2_000;
/** Signs within a name: of escapes, and letters with accents. */
const WITHIN_NAME = /[^\x20-\x7e]|[\\%]/;
/** The ends of names of several words: `api key`, `mot de passe`, `unseal key 1`. */
const LAST_WORD = /(?:key|code|value|passe|id|string|text|\d)$/i;

/** The same as `kindOf`. What stands before a word and its sign matters only in names of several words. */
function kindOfName(text: string, isVendor: boolean): ReturnType<typeof kindOf> {
  let start = text.length;
  while (start > 0 && isWord(text.charCodeAt(start - 1))) start -= 1;
  const sign = text.charAt(start - 1);
  const word = text.slice(Math.max(0, start - 1));
  if (start === text.length || WITHIN_NAME.test(sign) || (sign === " " && LAST_WORD.test(word)))
    return kindOf(text, isVendor);
  const kinds = KINDS_OF_WORDS[isVendor ? 1 : 0];
  if (kinds.has(word)) return kinds.get(word);
  const kind = kindOf(word, isVendor);
  if (kinds.size >= MAX_WORDS) kinds.clear();
  kinds.set(word, kind);
  return kind;
}

/** Characters before the end of a name of several words, `api key` or `unseal key 1`, in which its keyword ends. */
const WORDS_LENGTH = 24;

/** Whether a name may end at `at`: its last word holds a keyword, or its last words after a blank. */
function mayEndName(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && isWord(text.charCodeAt(start - 1))) start -= 1;
  if (start === 0 || start === at || WITHIN_NAME.test(text.charAt(start - 1))) return true;
  if (text.charAt(start - 1) === " ") start = Math.max(1, Math.min(start, at - WORDS_LENGTH));
  const { classes, next, output } = KEYWORD_AUTOMATON;
  let state = 0;
  for (let i = start - 1; i <= at; i++) {
    state = next[state + (classes[text.charCodeAt(i)] ?? 0)] ?? 0;
    if ((output[state] ?? 0) & TRAIT.named) return true;
  }
  return endsWith(VALUE_KEY, text, at);
}

/** Letters, digits, _, - and dots. */
function isWord(code: number): boolean {
  return (
    code === 45 ||
    code === 46 ||
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    (code >= 97 && code <= 122)
  );
}

/**
 * Replaces the values and adds to `counts`. Returns the same string when there are none.
 * @param hasVendor whether the text contains the name of a vendor
 * @param context the text before `text`; only its last line counts
 */
export function redactPairs(text: string, hasVendor: boolean, counts: Counts, context = ""): string {
  const parts: string[] = [];
  const lineBefore = lastLine(context).slice(-NAME_LENGTH);
  let copied = 0;
  for (let at = 1; at < text.length; at++) {
    if (IS_SEPARATOR[text.charCodeAt(at)] !== 1 || ENDS_NAME[text.charCodeAt(at - 1)] !== 1) continue;
    if (!mayEndName(text, at)) continue;
    SEPARATORS.lastIndex = at;
    const match = SEPARATORS.exec(text);
    if (match === null) continue;
    const before = textBefore(text, at, lineBefore);
    const isSet = match[1] === undefined || SETTER.test(lastLine(before));
    if (!isSet && !COMPOUND_NAME.test(before.slice(-MAX_WORD_LENGTH))) continue;
    const name = endsWith(VALUE_KEY, before, before.length) ? (namedBefore(text, at) ?? before) : before;
    const kind = kindOfName(name, hasVendor);
    if (kind === undefined) continue;
    const start = at + match[0].length;
    at = start - 1;
    if (MARKER_BEFORE.test(before)) continue;
    const length = valueLength(
      text,
      start,
      match[0].includes(",") ? "secret" : isSet ? kind.value : unsetKind(kind.value),
    );
    if (length === 0 || (kind.value === "unnamed" && RESOURCE_NAME.test(before))) continue;
    parts.push(text.slice(copied, start), marker(kind.name));
    counts[kind.name] = (counts[kind.name] ?? 0) + 1;
    copied = start + length;
    at = copied - 1;
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

function textBefore(text: string, end: number, lineBefore: string): string {
  const own = text.slice(Math.max(0, end - NAME_LENGTH), end);
  return own.length < NAME_LENGTH ? lineBefore + own : own;
}

/** How a value is recognised after a name and a blank, where a sentence may go on. */
function unsetKind(kind: KeyKind["value"]): KeyKind["value"] {
  return kind === "random" || kind === "parameter" ? "random" : "secret";
}

function namedBefore(text: string, end: number): string | undefined {
  return NAMED_BEFORE.exec(text.slice(Math.max(0, end - 240), end))?.groups?.name;
}

function valueLength(text: string, start: number, kind: KeyKind["value"]): number {
  VALUE.lastIndex = start;
  const value = VALUE.exec(text)?.[0];
  if (value === undefined) return 0;
  const length = MEASURES[kind](value);
  const isQuoted = /["'`]/.test(text[start - 1] ?? "");
  return length > 0 && isQuoted ? value.length : length;
}

const BELOW: Readonly<Record<BelowKind, { readonly pattern: RegExp; readonly measure: (value: string) => number }>> = {
  value: {
    pattern:
      /\s{0,40}(?:[>$#*] |string\(\d{1,6}\) )?(?<quote>["']?)(?<value>(?<=["'])[^"'\n]{1,500}|[^\s:"'`{}[\]][^\s"'`]{3,500})(?=["']?,?[ \t\r]{0,16}(?:\n|$))/y,
    measure: measureBelow,
  },
  element: {
    pattern: /[ \t]*(?:[^<\s]{1,80}\s{1,16})?(?<quote>)(?<value>[^<\s]{1,300})(?=\s{0,16}(?:<\/|$))/y,
    measure: measureSecret,
  },
  sentence: {
    pattern: /\s{0,40}(?:[$>#*-] )?(?<quote>["'`]?)(?<value>[^\s"'`]{6,500})(?=["'`]?[.,]?[ \t\r]{0,16}(?:\n|$))/y,
    measure: measureBelow,
  },
  block: {
    pattern:
      /[ \t]+(?<quote>)(?<value>(?:[^\s:"'{}[\]][^\s"']{4,}|[\w!-]{2,24}(?: [\w!-]{2,24}){1,7})(?:[ \t\r]*\n[ \t]+[^\s:"'{}[\]][^\s"']{4,}){0,2})(?=[ \t\r]*(?:\n|$))/y,
    measure: measureBlock,
  },
};

/** The whole line below is what a person typed. */
const PASSWORD_PROMPT =
  /(?<![\w-])(?:password|passwd|passphrase|passcode|passwort|kennwort|contraseña|mot de passe|senha|pin)\b(?:[^:=]|:\/\/){0,80}:[ \t\r]*$/i;

/** Replaces values that stand in the line below their name. */
export function redactValuesBelow(text: string, counts: Counts): string {
  let out = text;
  for (
    let newline = out.indexOf("\n");
    newline !== -1 && newline < out.length - 1;
    newline = out.indexOf("\n", newline + 1)
  ) {
    const line = out.slice(Math.max(0, newline - 2 * NAME_LENGTH), newline);
    const kind = belowKind(line);
    if (kind === undefined) continue;
    const { pattern, measure } = BELOW[kind];
    pattern.lastIndex = newline + 1;
    const match = pattern.exec(out);
    const value = match?.groups?.value;
    if (!match || value === undefined) continue;
    const isPrompted = measure === measureBelow && PASSWORD_PROMPT.test(lastLine(line));
    const length = match.groups?.quote ? measureAny(value) : isPrompted ? measurePrompted(value) : measure(value);
    if (length === 0) continue;
    const start = pattern.lastIndex - value.length;
    counts.PASSWORD = (counts.PASSWORD ?? 0) + 1;
    out = out.slice(0, start) + marker("PASSWORD") + out.slice(start + length);
  }
  return out;
}
