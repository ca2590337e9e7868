// What a report has in common with the record of a past incident, and what differs, in words. Pure functions.

import { MECHANISM_BY_NAME } from "../../../lib/mechanisms/mechanisms.ts";
import { truncate } from "../../schemas/incident.ts";
import type { FailureText, LineTerms } from "./failure-text.ts";
import { areSameError, saidLines } from "./line-likeness.ts";

export interface Likeness {
  /** Such as `exit 137` or `the error line "…"`, the rarest first. */
  readonly alike: readonly string[];
  readonly differs: readonly string[];
}

const MAX_LINES = 2;
const MAX_CODES = 3;
const MAX_MECHANISMS = 2;
/** Share of the heaviest mechanism's weight. Lighter ones are hints. */
const MIN_SHARE = 0.5;
const LINE_LENGTH = 140;
const MAX_ALIKE = 4;
const MAX_DIFFERS = 3;
/** Named services of a record. */
const MAX_SERVICES = 3;

/** @param logged the error lines of the report as they were logged */
export function likenessOf(report: FailureText, record: FailureText): Likeness {
  // The headline of a short report is often the error line itself.
  const shared = [
    ...report.lines.filter((line) => saysLine(record, line)),
    ...record.lines.filter((line) => saysLine(report, line) && !report.lines.some((own) => areSameError(own, line))),
  ];
  const hasLines = report.lines.length > 0;
  const [a, b] = [report.signature, record.signature];
  const sharedCodes = a.codes.filter((code) => b.codes.includes(code));
  const ofRecord = namesOf(record);
  const mechanisms = namesOf(report).filter((name) => ofRecord.includes(name));
  return {
    alike: [
      ...shared.slice(0, MAX_LINES).map((line) => `the error line ${quoted(line)}`),
      ...sharedCodes.slice(0, MAX_CODES),
      ...mechanisms.slice(0, MAX_MECHANISMS).map(labelOf),
      ...(a.alert !== null && a.alert === b.alert ? [`the alert ${a.alert}`] : []),
      ...(a.kind !== null && a.kind === b.kind ? [`the kind of object: ${a.kind}`] : []),
    ],
    differs: [
      ...(shared.length === 0 && hasLines ? ["no error line in common"] : []),
      ...lineDifferences(report, record),
      ...difference("exit code", exitCodes(a.codes), exitCodes(b.codes)),
      ...difference("alert", listOf(a.alert), listOf(b.alert)),
      ...difference("kind of object", listOf(a.kind), listOf(b.kind)),
      ...mechanismDifferences(report, record),
    ],
  };
}

/**
 * At most four and three items; the last difference is that the record is of other services.
 * @param services of the record, newest first
 */
export function withServices(
  { alike, differs }: Likeness,
  target: string | null,
  services: readonly string[],
): Likeness {
  const isOther = target !== null && services.length > 0 && !services.includes(target);
  const other = isOther ? [`service ${target}, then ${services.slice(0, MAX_SERVICES).join(", ")}`] : [];
  return { alike: alike.slice(0, MAX_ALIKE), differs: [...differs.slice(0, MAX_DIFFERS - other.length), ...other] };
}

/** The heaviest line of each that the other lacks. */
function lineDifferences(report: FailureText, record: FailureText): string[] {
  const [here] = report.lines.slice(0, MAX_LINES).filter((line) => !saysLine(record, line));
  const [then] = record.lines.slice(0, MAX_LINES).filter((line) => !saysLine(report, line));
  return [...(here ? [`only now: ${quoted(here)}`] : []), ...(then ? [`only then: ${quoted(then)}`] : [])];
}

function mechanismDifferences(report: FailureText, record: FailureText): string[] {
  const [here, then] = [namesOf(report), namesOf(record)];
  if (here.length === 0 || then.length === 0 || here.some((name) => then.includes(name))) return [];
  return [`now ${here.slice(0, 1).map(labelOf)}, then ${then.slice(0, 1).map(labelOf)}`];
}

function difference(what: string, here: readonly string[], then: readonly string[]): string[] {
  if (here.length === 0 || then.length === 0 || here.some((each) => then.includes(each))) return [];
  return [`${what} ${here.join(", ")}, then ${then.join(", ")}`];
}

function exitCodes(codes: readonly string[]): string[] {
  return codes.filter((code) => code.startsWith("exit ")).map((code) => code.slice("exit ".length));
}

function listOf(value: string | null): string[] {
  return value === null ? [] : [value];
}

/** The mechanisms that describe the failure, the heaviest first. */
function namesOf({ mechanisms }: FailureText): string[] {
  const sorted = [...mechanisms].sort((a, b) => b[1] - a[1]);
  const heaviest = sorted[0]?.[1] ?? 0;
  return sorted.filter(([, weight]) => weight >= heaviest * MIN_SHARE).map(([name]) => name);
}

function labelOf(name: string): string {
  return MECHANISM_BY_NAME.get(name)?.label ?? name;
}

/** Whether an error line or the headline shows the line. */
function saysLine(failure: FailureText, line: LineTerms): boolean {
  return saidLines(failure).some((other) => areSameError(other, line));
}

function quoted({ text }: LineTerms): string {
  return `"${truncate(text, LINE_LENGTH)}"`;
}
