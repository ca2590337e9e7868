// Reasons, exit codes, statuses and exceptions in error lines. Pure functions.

import { exitCode, grpcCode, meaningOf, signalCode, signalOfExit, sqlStateCode, statusCode } from "./codes.ts";
import { messageOf } from "./message-of.ts";

const MAX_CODES = 12;
const MAX_MEANINGS = 2;
const MAX_READ_LENGTH = 600;
const EXIT =
  /\bexit(?:ed|[_ -]?code|status)?(?:\s{1,4}(?:with\s{1,4})?(?:code|status))?["']?\s{0,4}[:=]?\s{0,4}\(?(\d{1,3})\b/gi;
/** Not a count: "returned 404 rows". */
const STATUS =
  /\b(?:http(?:\/\d(?:\.\d)?)?(?:\s{1,4}(?:error|status|code))?|status(?:[_ -]?code)?|response code|responded with|returned)["']?\s{0,4}[:=]?\s{0,4}["']?([1-5]\d{2})\b(?!\/\d|\s(?:of\s\d|(?:bytes|documents|entries|files|hits|items|lines|messages|records|results|rows|tasks)\b))/gi;
const SQL_STATE = /\b(?:sqlstate|sql state|sqlerrm)\b["']?\s{0,4}[:=([]?\s{0,4}["']?([0-9A-Z]{5})\b/gi;
/** "FATAL:  53300: sorry, too many clients already", "ERROR 1045 (28000)". */
const SQL_ERROR = /\b(?:ERROR|FATAL|PANIC):\s{1,4}([0-9A-Z]{5}):|\bERROR \d{4} \(([0-9A-Z]{5})\)/g;
const GRPC = /\bcode = ([A-Z][A-Za-z]{1,20})\b|\bgrpc[- _]?(?:status|code)["']?[ :=]{1,4}["']?(\w{1,20})/gi;
/** "signal: killed", "status=9/KILL", "terminated by signal 11". */
const SIGNAL_WORD = /\bsignal[: ]{1,2}(\w{1,12})\b|\bstatus=\d{1,2}\/([A-Z]{3,5})\b/g;
/** `ENOSPC`, `ORA-01555`, `MAX_RETRIES_EXCEEDED`. */
const CONSTANT_NAME =
  /\b(?:ERR_[A-Z][A-Z_]{2,40}|E[A-Z]{4,14}|[A-Z]{2,8}-\d{3,6}|[A-Z][A-Z0-9]{2,20}(?:_[A-Z0-9]{2,20}){1,5})\b/g;
/** OOMKilled, FailedScheduling, NullPointerException: at least two words in one. */
const COMPOUND = /\b(?:[A-Z]{2,6})?[A-Z][a-z]{2,20}(?:[A-Z][A-Za-z]{1,20})+\b|\b[A-Z]{2,5}[A-Z][a-z]{3,20}\b/g;
const SIGNAL_NAME = /\bSIG[A-Z]{3,5}\b/g;
/** Words that the patterns match and that name no failure. */
const NO_CODE = /^(?:ERROR|ISO-8601)$/;

/**
 * The codes of the lines, the most important line's first, at most 12. A part of the stored signature: a change raises
 * SIGNATURE_VERSION.
 */
export function failureCodes(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap(codesOf))].slice(0, MAX_CODES);
}

/** What the codes of a line mean, such as `exit 137: SIGKILL: killed at once, …`, at most two. */
export function codeMeanings(line: string): string[] {
  const meanings = codesOf(line).flatMap((code) => {
    const meaning = meaningOf(code);
    return meaning === null || saysItself(line, meaning) ? [] : [{ code, meaning }];
  });
  // The signal of an exit code says nothing more.
  const distinct = meanings.filter(
    ({ meaning }, i) => !meanings.slice(0, i).some((one) => one.meaning.endsWith(meaning)),
  );
  return distinct.slice(0, MAX_MEANINGS).map(({ code, meaning }) => `${code}: ${meaning}`);
}

/** "no such file or directory" after ENOENT: the line says what its code means. */
function saysItself(line: string, meaning: string): boolean {
  const [first = ""] = meaning.split(/[,:]/, 1);
  return line.toLowerCase().includes(first.toLowerCase());
}

function codesOf(line: string): string[] {
  const text = messageOf(line).slice(0, MAX_READ_LENGTH);
  const codes: (string | null)[] = [];
  for (const [, code = ""] of text.matchAll(EXIT)) if (code !== "0") codes.push(exitCode(code), signalOfExit(code));
  for (const [, code = ""] of text.matchAll(STATUS)) if (!code.startsWith("2")) codes.push(statusCode(code));
  for (const pattern of [SQL_STATE, SQL_ERROR])
    for (const [, code, other = ""] of text.matchAll(pattern)) codes.push(sqlStateCode(code ?? other));
  for (const [, code, other = ""] of text.matchAll(GRPC)) codes.push(grpcCode(code ?? other));
  for (const [, code, other = ""] of text.matchAll(SIGNAL_WORD)) codes.push(signalCode(code ?? other));
  for (const pattern of [SIGNAL_NAME, CONSTANT_NAME, COMPOUND])
    for (const [code] of text.matchAll(pattern)) if (!NO_CODE.test(code)) codes.push(nameOfConstant(code));
  return codes.filter((code) => code !== null);
}

/** DEADLINE_EXCEEDED is the status of gRPC in the style of other languages. */
function nameOfConstant(constant: string): string {
  return (constant.includes("_") && grpcCode(constant)) || constant;
}
