// The message of a log line that is written as JSON, XML, quoted cells or `key=value` pairs. Pure functions.

import { z } from "zod";
import { withoutPrefixInFront } from "./log-prefix.ts";

/** Characters. A longer line is read as text. */
const MAX_JSON_LENGTH = 100_000;
const MAX_PAIRS_LENGTH = 4_000;

const MESSAGE_KEYS = ["message", "msg", "short_message", "log", "event", "body", "MESSAGE", "summary", "text", "title"];
const CAUSE_KEYS = [
  "error_description",
  "error",
  "err",
  "exception",
  "error.message",
  "error_message",
  "exception.message",
  "cause",
  "reason",
  "detail",
];

const fields = z.record(z.string(), z.unknown());
type Fields = z.infer<typeof fields>;

/** The message and the cause of a structured line; null for any other line, and without a message. */
export function structuredMessage(line: string): string | null {
  const text = line.trim();
  const property = PROPERTY.exec(text);
  if (property) return propertyText(property[1] ?? "", property[2] ?? "");
  const json = jsonAtEnd(text);
  if (json === null) return XML_MESSAGE.exec(text)?.[1]?.trim() ?? lastCell(text) ?? messageOfPairs(text);
  const message = messageOfFields(json.fields);
  const front = withoutPrefixInFront(json.before);
  if (front === "") return message;
  // "Reconciler error  {"error": "…"}": the text in front is the message.
  return message === null ? null : withCause(front.replace(/(?:=>|:)$/, "").trimEnd(), message);
}

/** The message of a JSON object that holds a log line or an error; null without one. */
function messageOfFields(record: Fields): string | null {
  const message = firstText(record, MESSAGE_KEYS);
  const cause = firstText(record, CAUSE_KEYS);
  if (message !== null && cause !== null) return withCause(message, cause);
  return message ?? cause;
}

export function withCause(message: string, cause: string): string {
  return message.includes(cause) ? message : cause.includes(message) ? cause : `${message}: ${cause}`;
}

function firstText(record: Fields, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = textOf(record[key]);
    if (value !== null) return value;
  }
  return null;
}

/** The first line of a text, or the message of an error that was written as an object. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value.trim().split("\n", 1)[0]?.trim() || null;
  const nested = fields.safeParse(value);
  return nested.success && !Array.isArray(value)
    ? firstText(nested.data, ["message", "msg", "description", "reason", "detail"])
    : null;
}

/** The JSON object that the line is, or ends with. */
function jsonAtEnd(text: string): { readonly before: string; readonly fields: Fields } | null {
  if (!text.endsWith("}") || text.length > MAX_JSON_LENGTH) return null;
  const start = text.indexOf("{");
  try {
    const parsed = fields.safeParse(JSON.parse(text.slice(start)));
    return parsed.success ? { before: text.slice(0, start).trim(), fields: parsed.data } : null;
  } catch {
    // Not JSON: the line is read as text.
    return null;
  }
}

/** A line of a JSON document that is written over several lines. */
const PROPERTY = /^"([\w.@ -]{1,80})":\s*"((?:[^"\\]|\\.){1,4000})",?$/;

function propertyText(key: string, value: string): string {
  const text = withoutEscapedQuotes(value).replace(/\\[nrt]/g, " ");
  return MESSAGE_KEYS.includes(key) || CAUSE_KEYS.includes(key) ? text : `${key}: ${text}`;
}

const XML_MESSAGE = /^<.{0,2000}?<(?:message|faultstring)>([^<]{3,4000})</i;

/** The last cell of a row of quoted ones, as an export of logs has the message; null for another line. */
function lastCell(text: string): string | null {
  return (
    /^"[^"]{0,200}"(?:,"[^"]{0,200}"){1,20},"((?:[^"]|""){1,4000})"$/.exec(text)?.[1]?.replaceAll('""', '"') ?? null
  );
}

const PAIR = /(?:^|\s)(msg|message|err|error|reason|cause)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))/g;
const PAIR_OF_LOG = /(?:^|\s)(?:level|lvl|severity|ts|time|caller|logger)=/;

/** A quoted message in front of pairs, behind a level in one letter. */
const KLOG_MESSAGE = /^[IWEF]\d{4} [^\]"]{1,160}\] "((?:[^"\\]|\\.){1,1000})"(?= \w+=)/;

/** Of a line such as `level=error msg="query failed" err="timeout"`; null for another line. */
export function messageOfPairs(text: string): string | null {
  const read = text.slice(0, MAX_PAIRS_LENGTH);
  const quoted = KLOG_MESSAGE.exec(read)?.[1];
  if (quoted === undefined && !PAIR_OF_LOG.test(read)) return null;
  const record: Record<string, string> = quoted === undefined ? {} : { msg: firstLine(quoted) };
  for (const [, key = "", quoted, bare] of read.matchAll(PAIR))
    record[key] ??= quoted === undefined ? (bare ?? "") : firstLine(quoted);
  return messageOfFields(record);
}

/** Of a quoted value: what follows is a stack, or the request. */
function firstLine(quoted: string): string {
  return withoutEscapedQuotes(quoted.replace(/(?<!\\)\\n.*/s, ""));
}

function withoutEscapedQuotes(text: string): string {
  return text.replace(/\\(["\\])/g, "$1");
}
