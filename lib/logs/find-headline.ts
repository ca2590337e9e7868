// The headline of a text that a program wrote: the line that says what failed, as a person would write it. Pure functions,
// linear in the text.

import { plainText } from "../text/plain-text.ts";
import { accessLogRequest, describedObject, describedState, readableState, rowHeadline } from "./listed-object.ts";
import { withoutLogPrefix, withoutPrefixInFront } from "./log-prefix.ts";
import { readEvidence } from "./read-evidence.ts";
import { structuredMessage, withCause } from "./structured-line.ts";
import { messageIndex, traceAround } from "./traces.ts";
import { piecesOf } from "./unwrap-line.ts";
import { meansFailure, weighLine } from "./weigh-line.ts";

/** Characters. */
export const MAX_HEADLINE_LENGTH = 240;
/** Characters of the outermost message if a root cause follows it: as many as a long cause leaves. */
const MAX_OUTER_LENGTH = 120;
const MIN_OUTER_LENGTH = 60;
const CAUSED_BY = "; caused by ";
/** An exception that only holds others. */
const WRAPPER = /\bOne or more errors occurred\b|\bsee inner exception\b|\bthrown by the target of an invocation\b/;
/** Characters of the end of a chain of causes. */
const MAX_END_LENGTH = 100;
const MIN_END_LENGTH = 12;
/** Lines without a message. */
const NOISE =
  /^(?:debug\d?:|\[?[\w.-]{1,60}(?:@[\w.-]{1,60})?[ :][~/][\w.~/-]{0,100}\]? ?[>$#]\s|\[[\w.-]{1,60}@[^\]]{1,100}\][$#]\s|ps [a-z]:[^>]{0,100}>\s|-- (?:boot|no entries|logs? begin)|\$ |[^\p{L}]*$)/iu;

/** The headline of the text. @param text at least one visible character */
export function findHeadline(text: string): string {
  const lines = plainText(text).split(/\r\n|\r|\n/);
  const document = text.trimStart().startsWith("{") ? structuredMessage(text) : null;
  if (document !== null) return shorten(withNestedCause(document, text));
  const evidence = readEvidence({ headline: "", logs: lines.join("\n"), target: null, labels: {} });
  const object = describedObject(lines);
  if (object !== null) {
    const state = describedState(evidence.lines.filter(({ weight }) => weight >= 0.2).map((line) => line.text));
    return shorten(
      state === null ? `${object}: ${messageAt(lines, bestIndex(lines, evidence.lines))}` : `${object}: ${state}`,
    );
  }
  return shorten(headlineAt(lines, bestIndex(lines, evidence.lines)));
}

/** The index of the most important line that has a message; of the first such line when none shows a failure. */
function bestIndex(lines: readonly string[], errors: readonly { readonly line: number }[]): number {
  const best = errors.find(({ line }) => isMessage(messageAt(lines, messageIndex(lines, line - 1))));
  if (best !== undefined) return best.line - 1;
  const first = lines.findIndex((line) => line.trim() !== "" && isMessage(line.trim()));
  return first === -1
    ? Math.max(
        0,
        lines.findIndex((line) => line.trim() !== ""),
      )
    : first;
}

function isMessage(text: string): boolean {
  return !NOISE.test(text);
}

function headlineAt(lines: readonly string[], at: number): string {
  const row = rowHeadline(lines, at);
  if (row !== null) return row;
  const { outer, root } = traceAround(lines, at);
  const outerText = messageAt(lines, messageIndex(lines, outer));
  const rootText = root === null ? "" : messageAt(lines, root).replace(/^\d{1,3}: /, "");
  if (rootText === "" || outerText.includes(rootText)) return outerText;
  if (WRAPPER.test(outerText) || withCause(outerText, rootText) === rootText) return rootText;
  const left = MAX_HEADLINE_LENGTH - CAUSED_BY.length - rootText.length;
  return `${cut(outerText, Math.min(MAX_OUTER_LENGTH, Math.max(MIN_OUTER_LENGTH, left)))}${CAUSED_BY}${rootText}`;
}

/** The message of one line. */
function messageAt(lines: readonly string[], at: number): string {
  const line = lines[at] ?? "";
  const text = line.trim();
  const structured = structuredMessage(text);
  return (
    accessLogRequest(text) ??
    (structured && withNestedCause(structured, text)) ??
    readableState(text) ??
    nestedMessages(text)[0]?.text ??
    withoutLogPrefix(text)
  );
}

/** The message with the heaviest text in the JSON of its line, if that is heavier. */
function withNestedCause(message: string, line: string): string {
  const [heaviest] = nestedMessages(line);
  const isHeavier = heaviest !== undefined && heaviest.weight > weighLine(message).weight;
  return isHeavier ? withCause(message, heaviest.text) : message;
}

function nestedMessages(line: string) {
  const front = line.slice(0, Math.max(0, line.indexOf("{"))).trim();
  // The logger or program in front of a record, and no message.
  const isPrefix = (text: string) => text.trim() === front && !/\s[^\s:-]/.test(withoutPrefixInFront(front));
  return (piecesOf(line) ?? [])
    .flatMap(({ text, isMessage, isRoot }, place) =>
      isMessage && !isPrefix(text)
        ? [{ text: withoutLogPrefix(text), weight: weighLine(text, isRoot).weight, place }]
        : [],
    )
    .sort((a, b) => b.weight - a.weight || a.place - b.place);
}

/** Without blanks that repeat. Of a long chain "a: b: c", the end stays, too, if it says what failed. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= MAX_HEADLINE_LENGTH) return line;
  const tail = line.slice(-MAX_END_LENGTH);
  const link = tail.indexOf(": ") + 2;
  const end = link < 2 ? "" : tail.slice(link);
  return end.length > MIN_END_LENGTH && meansFailure(end)
    ? `${cut(line, MAX_HEADLINE_LENGTH - end.length - 1)} ${end}`
    : cut(line, MAX_HEADLINE_LENGTH);
}

/** Cuts at the last blank before the limit, without splitting a character. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const blank = text.lastIndexOf(" ", length - 1);
  const end = blank > length / 2 ? blank : length - 1;
  return `${text
    .slice(0, end)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd()}…`;
}

const SYMPTOM =
  /\bcrash(?:es|ed|ing)?\b|crash[- ]?loop|back-?off|\brestart(?:s|ed|ing)?\b|\b(?:not|un|non)[- ]?(?:ready|healthy|available|reachable|responding)\b|notready|\bdown\b|\bprobe\b|\bjob (?:has )?fail|\bfailed job|jobfail|mismatch|unavailable|\bstuck\b|\bpending\b|latency|\bslow\b|error rate|\b5xx\b|\bfail(?:s|ed|ing|ure)?\b|\bwrong\b|\bissue\b|\bproblem\b|\berrors?\b|\bwarning ?event|\btimeouts?\b|not working|\bwhy\b|\bdegraded\b/i;

/** Whether a headline names a symptom. Then the cause is in the evidence. */
export function isSymptomHeadline(headline: string): boolean {
  return (
    SYMPTOM.test(headline.slice(0, 400).replace(/(?<=[a-z])(?=[A-Z])/g, " ")) || SYMPTOM.test(headline.slice(0, 400))
  );
}
