// Reasons, exit codes, statuses and exceptions in error lines. Pure functions.

import { messageOf } from "./message-of.ts";

const MAX_CODES = 12;
const EXIT =
  /\bexit(?:ed|[_ -]?code|status)?(?:\s{1,4}(?:with\s{1,4})?(?:code|status))?["']?\s{0,4}[:=]?\s{0,4}\(?(\d{1,3})\b/gi;
const STATUS =
  /\b(?:http(?:\/\d(?:\.\d)?)?(?:\s{1,4}(?:error|status|code))?|status(?:[_ -]?code)?|response code|responded with|returned)["']?\s{0,4}[:=]?\s{0,4}["']?([1-5]\d{2})\b/gi;
const SQL_STATE = /\b(?:sqlstate|sql state|sqlerrm)\b["']?\s{0,4}[:=(]?\s{0,4}["']?([0-9A-Z]{5})\b/gi;
/** `ENOSPC`, `ORA-01555`, `MAX_RETRIES_EXCEEDED`. */
const CONSTANT_NAME =
  /\b(?:ERR_[A-Z][A-Z_]{2,40}|E[A-Z]{4,14}|[A-Z]{2,8}-\d{3,6}|[A-Z][A-Z0-9]{2,20}(?:_[A-Z0-9]{2,20}){1,5})\b/g;
/** OOMKilled, FailedScheduling, NullPointerException: at least two words in one. */
const COMPOUND = /\b(?:[A-Z]{2,6})?[A-Z][a-z]{2,20}(?:[A-Z][A-Za-z]{1,20})+\b|\b[A-Z]{2,5}[A-Z][a-z]{3,20}\b/g;
const SIGNAL = /\bSIG[A-Z]{3,5}\b/g;
/** Words that the patterns match and that name no failure. */
const NO_CODE = /^(?:ERROR|ISO-8601)$/;

/**
 * The codes of the lines, the most important line's first, at most 12. A part of the stored signature: a change raises
 * SIGNATURE_VERSION.
 */
export function failureCodes(lines: readonly string[]): string[] {
  const codes = new Set<string>();
  for (const line of lines) {
    const text = messageOf(line).slice(0, 600);
    for (const [, code] of text.matchAll(EXIT)) if (code !== "0") codes.add(`exit ${code}`);
    for (const [, code = ""] of text.matchAll(STATUS)) if (!code.startsWith("2")) codes.add(`status ${code}`);
    for (const [, code = ""] of text.matchAll(SQL_STATE)) codes.add(`sqlstate ${code.toUpperCase()}`);
    for (const pattern of [SIGNAL, CONSTANT_NAME, COMPOUND])
      for (const [code] of text.matchAll(pattern)) if (!NO_CODE.test(code)) codes.add(code);
  }
  return [...codes].slice(0, MAX_CODES);
}
